/** Compared only with itself, so any origin will do. */
const anyOrigin = "http://origin.invalid";

/**
 * The text if it is a path on our own origin, otherwise `"/"`. The text may be hostile: rejects schemes,
 * `//host`, backslashes (browsers read them as slashes) and control characters (browsers drop some of them).
 */
export function safePath(text: string | null | undefined): string {
  if (!text?.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text)) return "/";
  const url = URL.canParse(text, anyOrigin) ? new URL(text, anyOrigin) : null;
  if (url?.origin !== anyOrigin) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dot segments can resolve to an empty first segment: `/.//host` becomes `//host`.
  return path.startsWith("//") ? "/" : path;
}
