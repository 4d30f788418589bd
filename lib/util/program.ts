/**
 * How the reader of a message calls `aqs`. The variable is set where npm is missing, as in the container image. The browser
 * never asks.
 */
const PROGRAM = process.env.AQS_COMMAND ?? "npm run --silent aqs --";

/** A command of this program, as it is typed here. */
export const aqs = (words: string): string => `${PROGRAM} ${words}`;
