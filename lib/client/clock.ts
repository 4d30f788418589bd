/** The server's clock. The reader's may be wrong by days, and then every new block would be in the future. */

let ahead = 0;

/** The server's time, in milliseconds since the Unix epoch. */
export const serverNow = (): number => Date.now() + ahead;

/** Takes the time at which the server made this page. The page arrived when its first byte did, before its scripts ran. */
export function readServerTime(time: number): void {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const age = page ? performance.now() - page.responseStart : 0;
  ahead = Math.round(time - (Date.now() - age));
}
