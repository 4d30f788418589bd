import { useSyncExternalStore } from "react";

const never = () => () => {};

/** False on the server and in the first render of a page that the server made; then true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
