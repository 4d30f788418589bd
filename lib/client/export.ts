/** Exports lists as files, with the API's exact values. Hostile text is made harmless for the programs that open them. */

import type { IndexTip } from "#lib/contract/ledger.ts";
import { type CsvColumn, csvHead, csvRow, harmless } from "#lib/util/csv.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { countOf } from "./format.ts";
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
import { ADDRESS, addressesIn, isWallet } from "./wallet.ts";

/** The subject of a list, such as an address, by CSV column. It begins each row and ends the file's name. */
export type Subject = Readonly<Record<string, string | number>>;

export interface ExportFacts {
  subject: Subject;
  /** Path and query of the rows' request; of the whole list's for all rows. */
  query: string;
  /** Milliseconds since the Unix epoch. */
  time: number;
  tip: IndexTip | null;
  /** False if rows are missing because the export was cancelled or failed. */
  complete: boolean;
}

export type ExportFormat = "csv" | "json" | "ndjson";

/** The content of the file. NDJSON has the facts on its first line. CSV has the subject in its first columns and the block in its last. */
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
  const constant = (values: Record<string, string | number>): CsvColumn<Entry>[] =>
    Object.entries(values).map(([head, value]) => [head, () => value]);
  const columns = [
    ...Object.entries(facts.subject).map(([head, value]) => subjectColumn<Entry>(head, value)),
    ...columnsOf(csv),
    ...constant({
      as_of_block: about.asOfBlock ?? "",
      as_of_block_hash: about.asOfBlockHash ?? "",
      complete: about.complete ? "yes" : "no",
      ...(about.indexedBlocks && { indexed_blocks: about.indexedBlocks }),
    }),
  ];
  return csvHead(columns) + rows.map((row) => csvRow(columns, row)).join("");
}

/** In files of a wallet, an output names its own address, and a sum names the number of addresses. */
function subjectColumn<Entry>(head: string, value: string | number): CsvColumn<Entry> {
  if (head !== "address" || !isWallet(String(value))) return [head, () => value];
  const whole = countOf(addressesIn(String(value)).length, ADDRESS);
  return [head, (entry) => (entry as { address?: string }).address ?? whole];
}

const columnsOf = <Entry>(csv: CsvColumns<Entry>) => Object.values<readonly CsvColumn<Entry>[]>(csv).flat();

/** Rows to paste into a spreadsheet, as lines with tabs. The first line has the column heads. */
export function pasteText<Entry>(rows: readonly Entry[], csv: CsvColumns<Entry>): string {
  const columns = columnsOf(csv);
  const lines = [
    columns.map(([head]) => head),
    ...rows.map((row) => columns.map(([, value]) => harmless(value(row)).replaceAll(/[\t\r\n]+/g, " "))),
  ];
  return lines.map((fields) => `${fields.join("\t")}\n`).join("");
}

/** A file name of letters, digits and hyphens. It contains the end of an address or a hash, where they differ. */
export function exportName(list: string, subject: Subject, format: ExportFormat, time: number) {
  const named = Object.values(subject)
    .join("-")
    .replace(/[^0-9a-z-]/gi, "")
    .slice(-24)
    .replace(/^-+/, "");
  const day = new Date(time).toISOString().slice(0, 19).replace(/\D/g, "");
  return `${list}-${day}-${named}.${format}`;
}

/** Removes the paging from a page's request. With the hash of a block, the list is as of that one. */
export function wholeList(path: string, at = ""): string {
  const [place = "", search] = path.split("?");
  const query = new URLSearchParams(search);
  for (const paging of ["page", "pageSize", "cursor"]) query.delete(paging);
  if (at !== "") query.set("at", at);
  return query.size === 0 ? place : `${place}?${query}`;
}

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
