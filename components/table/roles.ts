/** Explicit roles for screen readers: in some browsers CSS grids hide that an element is a table. */
export const ROLES = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  header: { role: "columnheader" },
  cell: { role: "cell" },
  none: { role: "presentation" },
} as const;
