/** Some browsers drop a table's meaning for screen readers once CSS lays it out: explicit roles keep it. */
export const ROLES = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  header: { role: "columnheader" },
  cell: { role: "cell" },
  /** Only for the eye. */
  none: { role: "presentation" },
} as const;
