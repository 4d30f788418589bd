/**
 * The command that runs `aqs`, for messages. The variable is set where npm is missing, as in the container image. Browser
 * code does not use it.
 */
const PROGRAM = process.env.AQS_COMMAND ?? "npm run --silent aqs --";

/** A command of this program as users type it. */
export const aqs = (words: string): string => `${PROGRAM} ${words}`;
