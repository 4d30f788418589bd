import type { ClipboardEvent } from "react";

/**
 * Copies selected rows as spreadsheets paste them: a line for each row, with tabs between its columns. The browser
 * would copy a line for each field. It copies a selection within one row itself.
 */
export function copySelectedRows(event: ClipboardEvent<HTMLTableElement>): void {
  const selection = window.getSelection();
  if (!selection || selection.isCollapsed) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLTableRowElement>("tr[aria-rowindex]")].filter(
    (row) => selection.containsNode(row, true),
  );
  if (rows.length < 2) return;
  const lines = rows.map((row) =>
    [...row.cells]
      .filter(({ dataset }) => dataset.column !== undefined && dataset.column !== "menu")
      .map((cell) => (cell.textContent ?? "").replace(/\s+/g, " ").trim())
      .join("\t"),
  );
  event.clipboardData.setData("text/plain", lines.join("\n"));
  event.preventDefault();
}
