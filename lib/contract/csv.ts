/** Quoted, and never a formula: a spreadsheet runs text that starts with `= + - @`, tab or line break. */
export function csvField(value: string | number | bigint): string {
  const text = value.toString();
  const harmless = typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
