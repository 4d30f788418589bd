/** Calls `act` now and after each interval. Returns a function that stops it. */
export function repeat(act: () => void, milliseconds: number): () => void {
  act();
  const timer = setInterval(act, milliseconds);
  return () => clearInterval(timer);
}
