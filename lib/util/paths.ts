/** Compared only with itself, so any origin will do. */
const anyOrigin = "http://origin.invalid";

/** The hostile text if it is a path on our own origin, else `/`. Browsers read `\` as `/`, and drop some controls. */
export function safePath(text: string | null | undefined): string {
  if (!text?.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text)) return "/";
  const url = URL.canParse(text, anyOrigin) ? new URL(text, anyOrigin) : null;
  if (url?.origin !== anyOrigin) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dot segments can resolve to an empty first segment: `/.//host` becomes `//host`.
  return path.startsWith("//") ? "/" : path;
}

/** With a stray `%` it stays as it is: there is nothing of this name. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
