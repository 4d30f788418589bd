/** The path below which this build is served, such as `/assets`; "" at the root. The build writes it in here. */
export const BASE_PATH: string = process.env.BASE_PATH ?? "";

/** A path of this site as a browser has to ask for it. A query or a fragment alone is relative and stays as it is. */
export function withBase(path: string): string {
  return path.startsWith("/") ? BASE_PATH + path : path;
}
