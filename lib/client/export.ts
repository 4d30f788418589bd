/** Exports lists as files, with the API's exact values. Hostile text is made harmless for the programs that open them. */

import type { IndexTip } from "#lib/contract/ledger.ts";
import { type CsvColumn, csvHead, csvRow } from "#lib/util/csv.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { countOf } from "./format.ts";
import type { CsvColumns } from "./list.ts";
import { columnsOf } from "./paste.ts";
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
  /** False if rows of the request are missing: the export was cancelled, failed, or is of a search. */
  complete: boolean;
}

export type ExportFormat = "csv" | "json" | "ndjson";

/** A text has a maximum length, which a file may exceed: its content comes in pieces of so many rows. */
const ROWS_IN_PIECE = 1_000;

/** The content of the file, in pieces. NDJSON has the facts on its first line. CSV has the subject in its first columns and the block in its last. */
export function exportPieces<Entry>(
  rows: readonly Entry[],
  format: ExportFormat,
  csv: CsvColumns<Entry>,
  facts: ExportFacts,
): string[] {
  const about = {
    query: facts.query,
    time: new Date(facts.time).toISOString(),
    asOfBlock: facts.tip?.height ?? null,
    asOfBlockHash: facts.tip?.hash ?? null,
    ...(facts.tip?.coverage && { indexedBlocks: facts.tip.coverage }),
    count: rows.length,
    complete: facts.complete,
  };
  const inPieces = (write: (row: Entry, at: number) => string) =>
    Array.from({ length: Math.ceil(rows.length / ROWS_IN_PIECE) }, (_, piece) => {
      const from = piece * ROWS_IN_PIECE;
      return rows
        .slice(from, from + ROWS_IN_PIECE)
        .map((row, at) => write(row, from + at))
        .join("");
    });
  if (format === "json") {
    const head = stringifyExactJson(about, 2).slice(0, -"\n}".length);
    const rowOf = (row: Entry, at: number) =>
      `${at === 0 ? "" : ","}\n    ${stringifyExactJson(row, 2).replaceAll("\n", "\n    ")}`;
    return [`${head},\n  "rows": [`, ...inPieces(rowOf), `${rows.length === 0 ? "" : "\n  "}]\n}\n`];
  }
  if (format === "ndjson") {
    const line = (one: unknown) => `${stringifyExactJson(one)}\n`;
    return [line(about), ...inPieces(line)];
  }
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
  return [csvHead(columns), ...inPieces((row) => csvRow(columns, row))];
}

/** In files of a wallet, an output names its own address, and a sum names the number of addresses. */
function subjectColumn<Entry>(head: string, value: string | number): CsvColumn<Entry> {
  if (head !== "address" || !isWallet(String(value))) return [head, () => value];
  const whole = countOf(addressesIn(String(value)).length, ADDRESS);
  return [head, (entry) => (entry as { address?: string }).address ?? whole];
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
