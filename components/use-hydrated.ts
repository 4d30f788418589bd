import { useSyncExternalStore } from "react";

/** The data attribute of a document whose controls respond. */
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
