/** Control characters, including DEL and line breaks, line and paragraph separators, and direction controls. */
const NOT_PLAIN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/** Makes text safe for a terminal: it cannot clear the screen, change the title or fake a line. */
export const plainLine = (line: string): string => line.replace(NOT_PLAIN, "\ufffd");

/** Makes text of several lines plain, such as the stack of an error. Its line breaks stay. */
export const plainText = (text: string): string => text.split("\n").map(plainLine).join("\n");
