/**
 * Lists as files: every value as the API gave it, all digits, and hostile text made harmless for the
 * programs that open such files.
 */

import { toUnits } from "#lib/contract/amounts.ts";
import type { AssetChange, UtxoEntry } from "#lib/contract/endpoints.ts";
import { stringifyExactJson } from "#lib/contract/json.ts";
import { type AssetNames, displayDecimals } from "./chain-text.ts";
import { isPassing, refuseRepeatedCursor, retryDelay, type UtxoFilter } from "./queries.ts";
import { type AnswerTip, request } from "./request.ts";

/** What a file says about itself, so that it can be judged later. */
export interface ExportFacts {
  list: ExportList;
  /** The request that gave the rows, as path and query; of all rows the one of the whole list. */
  query: string;
  /** Milliseconds since the Unix epoch. */
  time: number;
  tip: AnswerTip | null;
  /** False where the walk was cancelled or failed: rows are missing. */
  complete: boolean;
}

export type ExportList = "utxos" | "asset-changes";
export type ExportFormat = "csv" | "json" | "ndjson";

type Row = UtxoEntry | AssetChange;

const csvColumns = {
  utxos: [
    "out_point",
    "transaction_hash",
    "output_index",
    "block_height",
    "token",
    "symbol",
    "name",
    "decimals",
    "amount",
    "amount_in_units",
    "capacity",
  ],
  "asset-changes": [
    "asset_id",
    "symbol",
    "name",
    "decimals",
    "amount",
    "amount_in_units",
    "amount_usd",
    "tags",
  ],
} as const;

/** The whole file. CSV starts with a `#` row of facts, JSON holds them, NDJSON has them on its first line. */
export function exportText(rows: readonly Row[], format: ExportFormat, facts: ExportFacts): string {
  const about = {
    query: facts.query,
    time: new Date(facts.time).toISOString(),
    asOfBlock: facts.tip?.height ?? null,
    asOfBlockHash: facts.tip?.hash ?? null,
    count: rows.length,
    complete: facts.complete,
  };
  if (format === "json") return `${stringifyExactJson({ ...about, rows }, 2)}\n`;
  if (format === "ndjson") return [about, ...rows].map((one) => `${stringifyExactJson(one)}\n`).join("");
  const lines = [
    Object.entries(about).map(([name, value]) => csvField(`# ${name}: ${value ?? ""}`)),
    csvColumns[facts.list].map(csvField),
    ...rows.map((row) => ("asset" in row ? changeFields(row) : utxoFields(row))),
  ];
  // The mark tells spreadsheets that the text is UTF-8.
  return `\ufeff${lines.map((fields) => `${fields.join(",")}\r\n`).join("")}`;
}

function utxoFields(entry: UtxoEntry): string[] {
  const { symbol, name, decimals } = entry.tokenInfo;
  const [hash = "", index = ""] = entry.outPoint.split(":");
  return [
    entry.outPoint,
    hash,
    index,
    entry.blockHeight,
    entry.token,
    symbol,
    name,
    decimals,
    entry.amount,
    inUnits(entry.amount, entry.tokenInfo),
    entry.capacity,
  ].map(csvField);
}

function changeFields({ asset, amount, amountUsd, tags }: AssetChange): string[] {
  return [
    asset.id,
    asset.symbol,
    asset.name,
    asset.decimals,
    amount,
    inUnits(amount, asset),
    amountUsd,
    tags.join("; "),
  ].map(csvField);
}

/** Empty where the page calls the scale unknown too. */
function inUnits(amount: bigint | string, asset: AssetNames): string {
  const decimals = displayDecimals(asset);
  return decimals === null ? "" : toUnits(amount, decimals);
}

/** Quoted, and never a formula: a spreadsheet runs text that starts with `= + - @`, tab or line break. */
export function csvField(value: string | number | bigint): string {
  const text = value.toString();
  const harmless = typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** A file name out of our own characters. */
export function exportName(list: ExportList, subject: string, format: ExportFormat, time: number) {
  const plain = subject.replace(/[^0-9a-z]/gi, "").slice(0, 24);
  const day = new Date(time).toISOString().slice(0, 19).replace(/\D/g, "");
  return `${list}-${plain}-${day}.${format}`;
}

/** What a list's request asks for, whichever of its pages that is. `path` has a query. */
export function wholeList(path: string): string {
  const [place = "", search] = path.split("?");
  const query = new URLSearchParams(search);
  for (const paging of ["page", "pageSize", "cursor"]) query.delete(paging);
  return query.size === 0 ? place : `${place}?${query}`;
}

/** Rows of one request of a walk: the API's own limits. */
const WALK_PAGE = { utxos: 1000, changes: 100 };
const WALK_RETRIES = 8;

/** What a walk waits after, and how often in a row that has failed. */
export interface WalkPause {
  error: Error;
  failures: number;
}

export interface WalkOptions<One> {
  signal: AbortSignal;
  onProgress: (rows: number, pause: WalkPause | null) => void;
  /** Rows as they come, so that a walk that stops early keeps what it has. */
  onRows: (rows: readonly One[], tip: AnswerTip | null) => void;
}

/** Reads every output of the list, from its start to its end. Throws what stopped it. */
export async function walkUtxos(
  filter: Omit<UtxoFilter, "from">,
  options: WalkOptions<UtxoEntry>,
): Promise<void> {
  const { address, token, order } = filter;
  const pageParams: string[] = [];
  const seen = new Set<string>();
  for (let cursor = "", hasNext = true; hasNext; ) {
    const query = { token, order, cursor, pageSize: WALK_PAGE.utxos };
    const answer = await patiently(
      () => request("/v0/addresses/{address}/utxos", { address }, query, options.signal),
      (pause) => options.onProgress(seen.size, pause),
      options.signal,
    );
    pageParams.push(cursor);
    refuseRepeatedCursor(answer, cursor, { pages: [], pageParams });
    const fresh = answer.data.result.filter(({ outPoint }) => !seen.has(outPoint));
    for (const { outPoint } of fresh) seen.add(outPoint);
    options.onRows(fresh, answer.tip);
    options.onProgress(seen.size, null);
    ({ hasNext, lastCursor: cursor } = answer.data);
  }
}

export interface ChangeListFilter {
  blockHash: string;
  assetName: string;
  tags: readonly string[];
  volumeOrder: "asc" | "desc" | null;
}

/** Reads every asset change of the filtered list. Throws what stopped it. */
export async function walkAssetChanges(
  filter: ChangeListFilter,
  options: WalkOptions<AssetChange>,
): Promise<void> {
  const { blockHash, assetName, tags, volumeOrder } = filter;
  for (let page = 1, read = 0, total = 1; read < total; page += 1) {
    const query = {
      assetName,
      tags,
      ...(volumeOrder && { orderKey: "volume", orderDirection: volumeOrder }),
      page,
      pageSize: WALK_PAGE.changes,
    };
    const answer = await patiently(
      () => request("/v0/blocks/{blockHash}/asset-changes", { blockHash }, query, options.signal),
      (pause) => options.onProgress(read, pause),
      options.signal,
    );
    options.onRows(answer.data.result, answer.tip);
    read += answer.data.result.length;
    total = answer.data.total;
    options.onProgress(read, null);
    if (answer.data.result.length === 0) return;
  }
}

/** Asks again after failures that pass, as long as the server asks to wait or a little longer each time. */
async function patiently<T>(ask: () => Promise<T>, onPause: (pause: WalkPause) => void, signal: AbortSignal) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || failures >= WALK_RETRIES || !isPassing(error)) throw error;
      onPause({ error: error as Error, failures: failures + 1 });
      await pause(retryDelay(failures, error as Error), signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
