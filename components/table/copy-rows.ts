import type { ClipboardEvent } from "react";

/** Copies two or more selected rows as spreadsheets paste them; the browser would copy a line for each field. */
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
