/** Path prefix of this build, such as `/assets`; "" at the root. The build inlines it. */
export const BASE_PATH: string = process.env.BASE_PATH ?? "";

/** Adds the prefix to a path of this site. A query or a fragment alone stays relative. */
export function withBase(path: string): string {
  return path.startsWith("/") ? BASE_PATH + path : path;
}

/** Removes the prefix from the path of a URL of this site. */
export const withoutBase = (pathname: string): string => pathname.slice(BASE_PATH.length);
