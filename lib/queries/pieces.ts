/** Does long work in pieces, and yields to other requests between them. */
import type { Reader } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";

/** Maximum number of rows of a piece. SQLite reads them in about 10 ms, in the thread that serves all requests. */
export const PIECE = 2_000;

/** Runs the work for a piece of the items at a time, and joins the results. */
export function* inPieces<Item, Found>(
  db: Reader,
  items: readonly Item[],
  work: (piece: Item[]) => Steps<Found[]>,
): Steps<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < items.length; from += PIECE) {
    if (from > 0) yield* done(db.pause());
    for (const one of yield* work(items.slice(from, from + PIECE))) found.push(one);
  }
  return found;
}

/** The index of the first row that passes the test, as all rows after it do; the number of rows if none does. */
export function firstIndex<Row>(rows: readonly Row[], passes: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(rows[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first `most` rows of a sorted copy. Equal rows keep their order. */
export function* sorted<Row>(
  db: Reader,
  rows: readonly Row[],
  compare: (one: Row, other: Row) => number,
  most = Number.POSITIVE_INFINITY,
): Steps<Row[]> {
  let runs: Row[][] = [];
  for (let from = 0; from < rows.length; from += PIECE) {
    if (from > 0) yield* done(db.pause());
    const run = rows.slice(from, from + PIECE).sort(compare);
    runs.push(run.slice(0, most));
  }
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(db, runs[at]!, runs[at + 1] ?? [], compare, most));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The first `most` rows of two sorted lists, in order. */
export function* merge<Row>(
  db: Reader,
  first: readonly Row[],
  second: readonly Row[],
  compare: (one: Row, other: Row) => number,
  most = Number.POSITIVE_INFINITY,
): Steps<Row[]> {
  const merged: Row[] = [];
  let [a, b] = [0, 0];
  while (merged.length < most && (a < first.length || b < second.length)) {
    const takesFirst = b === second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0);
    merged.push(takesFirst ? first[a++]! : second[b++]!);
    if (merged.length % PIECE === 0) yield* done(db.pause());
  }
  return merged;
}
