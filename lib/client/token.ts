/** A pasted access token without surrounding spaces and without the `Bearer` prefix of a header. */
export function bareToken(text: string): string {
  return text.trim().replace(/^bearer\s+/i, "");
}
