/**
 * Milliseconds for which tests wait for an event. On a busy machine events come late, and only a test that fails waits for
 * so long.
 */
export const PATIENCE = 120_000;

/** Milliseconds for a whole test, or for what it sets up. */
export const TEST_TIMEOUT = 5 * PATIENCE;
