/**
 * Lists as files: every value as the API gave it, all digits, and hostile text made harmless for the
 * programs that open such files.
 */

import type { IndexTip } from "#lib/contract/ledger.ts";
import { type CsvColumn, csvHead, csvRow, harmless } from "#lib/util/csv.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import type { CsvColumns } from "./list.ts";
import {
  asOfIn,
  type CursorPage,
  isPassing,
  type NumberedPage,
  refuseRepeatedCursor,
  retryDelay,
} from "./queries.ts";
import type { Fetched } from "./request.ts";

/** The subject of a list, such as an address: the first columns of each row in CSV. The last one ends the file's name. */
export type Subject = Readonly<Record<string, string | number>>;

/** What a file says about itself, so that it can be judged later. */
export interface ExportFacts {
  subject: Subject;
  /** The request that gave the rows, as path and query; for all rows, the whole list's. */
  query: string;
  /** Milliseconds since the Unix epoch. */
  time: number;
  tip: IndexTip | null;
  /** False if the walk was cancelled or failed: rows are missing. */
  complete: boolean;
}

export type ExportFormat = "csv" | "json" | "ndjson";

/** The whole file. CSV has what the rows are of in its first columns, and as of in its last ones, JSON holds all facts, NDJSON on its first line. */
export function exportText<Entry>(
  rows: readonly Entry[],
  format: ExportFormat,
  csv: CsvColumns<Entry>,
  facts: ExportFacts,
): string {
  const about = {
    query: facts.query,
    time: new Date(facts.time).toISOString(),
    asOfBlock: facts.tip?.height ?? null,
    asOfBlockHash: facts.tip?.hash ?? null,
    ...(facts.tip?.coverage && { indexedBlocks: facts.tip.coverage }),
    count: rows.length,
    complete: facts.complete,
  };
  if (format === "json") return `${stringifyExactJson({ ...about, rows }, 2)}\n`;
  if (format === "ndjson") return [about, ...rows].map((one) => `${stringifyExactJson(one)}\n`).join("");
  const asOf: CsvColumn<Entry>[] = [
    ["as_of_block", () => about.asOfBlock ?? ""],
    ["as_of_block_hash", () => about.asOfBlockHash ?? ""],
    ["complete", () => (about.complete ? "yes" : "no")],
    ...(facts.tip?.coverage ? [["indexed_blocks", () => about.indexedBlocks ?? ""] as const] : []),
  ];
  const columns: CsvColumn<Entry>[] = [
    ...Object.entries(facts.subject).map(([head, value]) => [head, () => value] as const),
    ...Object.values<readonly CsvColumn<Entry>[]>(csv).flat(),
    ...asOf,
  ];
  return csvHead(columns) + rows.map((row) => csvRow(columns, row)).join("");
}

/** Rows to paste into a spreadsheet: a line each, with tabs between the columns and their heads above. */
export function pasteText<Entry>(rows: readonly Entry[], csv: CsvColumns<Entry>): string {
  const columns = Object.values<readonly CsvColumn<Entry>[]>(csv).flat();
  const lines = [
    columns.map(([head]) => head),
    ...rows.map((row) => columns.map(([, value]) => harmless(value(row)).replaceAll(/[\t\r\n]+/g, " "))),
  ];
  return lines.map((fields) => `${fields.join("\t")}\n`).join("");
}

/** A file name of letters, digits and hyphens. Addresses and hashes differ at their ends, and so do the names. */
export function exportName(list: string, subject: Subject, format: ExportFormat, time: number) {
  const named = Object.values(subject)
    .join("-")
    .replace(/[^0-9a-z-]/gi, "")
    .slice(-24)
    .replace(/^-+/, "");
  const day = new Date(time).toISOString().slice(0, 19).replace(/\D/g, "");
  return `${list}-${day}-${named}.${format}`;
}

/** A page's request without its paging: the request of the whole list. */
export function wholeList(path: string): string {
  const [place = "", search] = path.split("?");
  const query = new URLSearchParams(search);
  for (const paging of ["page", "pageSize", "cursor"]) query.delete(paging);
  return query.size === 0 ? place : `${place}?${query}`;
}

const WALK_RETRIES = 8;

/** The failure that a walk waits after, and how many there were in a row. */
export interface WalkPause {
  error: Error;
  failures: number;
}

export interface WalkOptions<Entry> {
  signal: AbortSignal;
  onProgress: (rows: number, pause: WalkPause | null) => void;
  /** Rows as they come, so that a walk that stops early keeps what it has. */
  onRows: (rows: readonly Entry[], tip: IndexTip | null) => void;
}

interface CursorWalk<Entry> extends WalkOptions<Entry> {
  idOf: (entry: Entry) => string;
  read: (cursor: string) => Promise<Fetched<CursorPage<Entry>>>;
}

/** Reads a list by cursor, from its start to its end, each entry once. Throws what stopped it. */
export async function walkCursors<Entry>(walk: CursorWalk<Entry>): Promise<void> {
  const followed: string[] = [];
  const seen = new Set<string>();
  for (let cursor = "", hasNext = true; hasNext; ) {
    const answer = await patiently(() => walk.read(cursor), seen.size, walk);
    followed.push(cursor);
    refuseRepeatedCursor(answer, cursor, followed);
    const fresh = answer.data.result.filter((entry) => !seen.has(walk.idOf(entry)));
    for (const entry of fresh) seen.add(walk.idOf(entry));
    walk.onRows(fresh, asOfIn(answer));
    walk.onProgress(seen.size, null);
    ({ hasNext, lastCursor: cursor } = answer.data);
  }
}

interface PageWalk<Entry> extends WalkOptions<Entry> {
  read: (page: number) => Promise<Fetched<NumberedPage<Entry>>>;
}

/** Reads a list page by page until its total is reached. Throws what stopped it. */
export async function walkPages<Entry>(walk: PageWalk<Entry>): Promise<void> {
  for (let page = 1, count = 0, total = 1; count < total; page += 1) {
    const answer = await patiently(() => walk.read(page), count, walk);
    walk.onRows(answer.data.result, answer.tip);
    count += answer.data.result.length;
    total = answer.data.total;
    walk.onProgress(count, null);
    if (answer.data.result.length === 0) return;
  }
}

/** Repeats a request after failures that may pass, with the pause that the server asks for or a growing one. */
async function patiently<Page>(
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
