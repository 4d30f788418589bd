import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTick } from "node:timers/promises";

/** The function by which the current request yields in the middle of its work. */
export const pauses = new AsyncLocalStorage<() => Promise<void>>();

/** Yields to other requests; without a function for that, until the next event-loop tick. */
export const pause = (): Promise<void> => (pauses.getStore() ?? nextTick)();
