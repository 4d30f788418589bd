/** Only ever compared with itself: any origin will do. */
const anyOrigin = "http://origin.invalid";

/**
 * A same-origin relative path out of hostile text, `"/"` for everything else: no scheme, no `//host`, no
 * backslash (browsers read it as a slash), no control characters (browsers drop some of them).
 */
export function safePath(text: string | null | undefined): string {
  if (!text?.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text)) return "/";
  const url = URL.canParse(text, anyOrigin) ? new URL(text, anyOrigin) : null;
  if (url?.origin !== anyOrigin) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dot segments can resolve to an empty first segment: `/.//host` becomes `//host`.
  return path.startsWith("//") ? "/" : path;
}
