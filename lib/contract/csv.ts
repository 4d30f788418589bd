/** A field of a CSV file: quoted, and never a formula. */
export function csvField(value: string | number | bigint): string {
  return `"${harmless(value).replaceAll('"', '""')}"`;
}

/** The value as text that no spreadsheet runs: it would run text that starts with `= + - @`, tab or line break. */
export function harmless(value: string | number | bigint): string {
  const text = value.toString();
  return typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
