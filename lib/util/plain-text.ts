/** Control characters (also DEL and the line breaks), line and paragraph separators, and controls of direction. */
const NOT_PLAIN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * Makes text from outside safe for a terminal: it cannot clear the screen, change the title or pass for a line of its own.
 * Every run of control characters becomes one U+FFFD.
 */
export const plainLine = (line: string): string => line.replace(NOT_PLAIN, "\ufffd");

/** Text of several lines, such as the stack of an error: only its line breaks stay. */
export const plainText = (text: string): string => text.split("\n").map(plainLine).join("\n");
