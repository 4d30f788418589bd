/** Reads whole lists for exports, with pauses after temporary failures. */

import type { IndexTip } from "#lib/contract/ledger.ts";
import {
  asOfIn,
  type CursorPage,
  isPassing,
  type NumberedPage,
  refuseRepeatedCursor,
  retryDelay,
} from "./queries.ts";
import type { Fetched } from "./request.ts";

const WALK_RETRIES = 8;

/** The failure after which a walk waits, and the number of failures in a row. */
export interface WalkPause {
  error: Error;
  failures: number;
}

export interface WalkOptions<Entry> {
  signal: AbortSignal;
  onProgress: (rows: number, pause: WalkPause | null) => void;
  /** Called for each page, so that a walk that fails keeps the rows so far. */
  onRows: (rows: readonly Entry[], tip: IndexTip | null) => void;
}

interface CursorWalk<Entry> extends WalkOptions<Entry> {
  idOf: (entry: Entry) => string;
  read: (cursor: string) => Promise<Fetched<CursorPage<Entry>>>;
}

/** Reads a whole list by cursor, each entry once. Throws the failure that stopped it. */
export async function walkCursors<Entry>(walk: CursorWalk<Entry>): Promise<void> {
  const followed: string[] = [];
  const seen = new Set<string>();
  for (let cursor = "", hasNext = true; hasNext; ) {
    const response = await withRetries(() => walk.read(cursor), seen.size, walk);
    followed.push(cursor);
    refuseRepeatedCursor(response, cursor, followed);
    const fresh = response.data.result.filter((entry) => !seen.has(walk.idOf(entry)));
    for (const entry of fresh) seen.add(walk.idOf(entry));
    walk.onRows(fresh, asOfIn(response));
    walk.onProgress(seen.size, null);
    ({ hasNext, lastCursor: cursor } = response.data);
  }
}

interface PageWalk<Entry> extends WalkOptions<Entry> {
  read: (page: number) => Promise<Fetched<NumberedPage<Entry>>>;
}

/** Reads a list page by page until its total is reached. Throws the failure that stopped it. */
export async function walkPages<Entry>(walk: PageWalk<Entry>): Promise<void> {
  for (let page = 1, count = 0, total = 1; count < total; page += 1) {
    const { data, tip } = await withRetries(() => walk.read(page), count, walk);
    walk.onRows(data.result, tip);
    count += data.result.length;
    total = data.total;
    walk.onProgress(count, null);
    if (data.result.length === 0) return;
  }
}

/** Repeats a request after temporary failures. Pauses as `retryDelay` says. */
async function withRetries<Page>(
  ask: () => Promise<Page>,
  rows: number,
  { signal, onProgress }: Pick<WalkOptions<never>, "signal" | "onProgress">,
): Promise<Page> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || failures >= WALK_RETRIES || !isPassing(error)) throw error;
      onProgress(rows, { error: error as Error, failures: failures + 1 });
      await pause(retryDelay(failures, error as Error), signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
