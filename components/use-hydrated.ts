import { useSyncExternalStore } from "react";

/** Data attribute of the document once its controls respond. */
export const HYDRATED = "hydrated";

const never = () => () => {};

/** False on the server and in the first render after it; then true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
