import { useSyncExternalStore } from "react";

/** The mark in the browser's timeline of when the controls of a document began to respond. */
export const HYDRATED = "hydrated";

const never = () => () => {};

/** False on the server and in the first render of a page that the server made; then true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
