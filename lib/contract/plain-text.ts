/** Control characters (also DEL and the line breaks), line and paragraph separators, and controls of direction. */
const NOT_PLAIN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * One line that changes nothing on a terminal but itself: text from a node, a price source, a file, a database or a
 * stranger can neither clear the screen, nor change the title, nor look like a line of its own. Every run of such
 * characters becomes one U+FFFD.
 */
export const plainLine = (line: string): string => line.replace(NOT_PLAIN, "\ufffd");

/** Text of several lines, such as the stack of an error: only its line breaks stay. */
export const plainText = (text: string): string => text.split("\n").map(plainLine).join("\n");
