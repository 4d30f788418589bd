/** A base for parsing, which is only compared with itself. */
const anyOrigin = "http://origin.invalid";

/** Returns the untrusted text if it is a path on our own origin, else `/`. Browsers read `\` as `/`, and drop some controls. */
export function safePath(text: string | null | undefined): string {
  if (!text?.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text)) return "/";
  const url = URL.canParse(text, anyOrigin) ? new URL(text, anyOrigin) : null;
  if (url?.origin !== anyOrigin) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dot segments can resolve to an empty first segment: `/.//host` becomes `//host`.
  return path.startsWith("//") ? "/" : path;
}

/** Decodes a segment of a path. Malformed ones stay as they are, and match nothing. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
