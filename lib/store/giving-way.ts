import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextRound } from "node:timers/promises";

/** How what is called here waits, in the middle of its work, until others have had their turn. */
export const pauses = new AsyncLocalStorage<() => Promise<void>>();

/** Waits until the work may go on: without other work to wait for, until the event loop has gone round. */
export const pause = (): Promise<void> => (pauses.getStore() ?? nextRound)();
