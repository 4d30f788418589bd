/** The command that runs `aqs`, for messages. The container image, which has no npm, sets the variable. */
const PROGRAM = process.env.AQS_COMMAND ?? "npm run --silent aqs --";

export const aqs = (words: string): string => `${PROGRAM} ${words}`;
