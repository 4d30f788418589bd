/**
 * Time that tests wait for an event, in milliseconds. On a busy machine events are late, and only failing tests wait
 * for all of it.
 */
export const EVENT_TIMEOUT = 120_000;

/** Milliseconds for a whole test, or for what it sets up. */
export const TEST_TIMEOUT = 5 * EVENT_TIMEOUT;
