/** An access token as it was pasted: without spaces around it, and without the word it follows in a header. */
export function bareToken(text: string): string {
  return text.trim().replace(/^bearer\s+/i, "");
}
