import { LRUCache } from "lru-cache";

/** Rows of all lists together, up to 150 bytes each. */
const MAX_ROWS = 200_000;
/** Each list counts as this many rows more. */
const ROWS_OF_ENTRY = 4;
/** This many characters of a key count as a row. Keys can be long, because they have the filters of requests. */
const KEY_LENGTH_OF_ROW = 75;

/** A cache of ordered lists, with a limit for what they and their keys hold in memory. */
export const listCache = <List extends object>(rowsOf: (list: List) => number) =>
  new LRUCache<string, List>({
    maxSize: MAX_ROWS,
    sizeCalculation: (list, key) => rowsOf(list) + ROWS_OF_ENTRY + Math.ceil(key.length / KEY_LENGTH_OF_ROW),
  });
