/** What pages ask the API, as query options: one function an endpoint. */
import {
  hashKey,
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
} from "@tanstack/react-query";
import type { AssetChangeList, UtxoEntry, UtxoList } from "#lib/contract/endpoints.ts";
import { type Answer, type AnswerTip, ask, RequestError, request, urlOf } from "./request.ts";
import type { ChainStatus, ListChange } from "./status.ts";

const UTXOS = "/v0/addresses/{address}/utxos";
const ASSET_CHANGES = "/v0/blocks/{blockHash}/asset-changes";

/** Rows that one request of an endless list brings. */
export const UTXO_PAGE_SIZE = 100;
const RETRIES = 3;

/** Whether asking the same again may help, so that a failure is worth repeating without being told to. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { code, status } = error;
  return code === "UNREACHABLE" || code === "TIMEOUT" || status === 429 || status === 502 || status >= 503;
}

/** Not what took its whole time already: after that long the reader is told, and decides. */
export function shouldRetry(failureCount: number, error: Error): boolean {
  const timedOut = error instanceof RequestError && error.code === "TIMEOUT";
  return failureCount < RETRIES && !timedOut && isPassing(error);
}

/** What the server asked for, or 1, 2, 4 … seconds, at most 30; in milliseconds. */
export function retryDelay(failureCount: number, error: Error): number {
  const asked = error instanceof RequestError ? error.retryAfter : null;
  return (asked ?? Math.min(2 ** failureCount, 30)) * 1000;
}

/** An answer that came with its page, and the filter that it answers. */
export interface FirstAnswer<Filter, Data> {
  filter: Filter;
  answer: Answer<Data>;
}

/** The answer, where it answers this filter. */
function answerFor<Filter, Data>(filter: Filter, first: FirstAnswer<Filter, Data> | null) {
  return first && hashKey([first.filter]) === hashKey([filter]) ? first.answer : undefined;
}

export interface UtxoFilter {
  address: string;
  token?: string | undefined;
  order: "asc" | "desc";
  /** Where the walk starts; `""` at the beginning. */
  from: string;
}

/** The request of a list's page that starts after `cursor`, as path and query. */
export function utxosPath({ address, token, order }: Omit<UtxoFilter, "from">, cursor: string): string {
  return urlOf(UTXOS, { address }, utxosQuery(token, order, cursor));
}

function utxosQuery(token: string | undefined, order: "asc" | "desc", cursor: string) {
  return { token, order: order === "desc" ? order : undefined, cursor, pageSize: UTXO_PAGE_SIZE };
}

/**
 * The unspent outputs of an address as an endless list. Its pages are never fetched anew behind the
 * reader's back: new blocks show on demand, so rows do not move while they are read.
 */
export function addressUtxos(filter: UtxoFilter, first: FirstAnswer<UtxoFilter, UtxoList> | null = null) {
  const { address, token, order, from } = filter;
  return infiniteQueryOptions<Answer<UtxoList>, Error, UtxoPages, readonly [string, UtxoFilter], string>({
    queryKey: ["address-utxos", filter],
    queryFn: async ({ pageParam, signal, client, queryKey }) => {
      const answer = await request(UTXOS, { address }, utxosQuery(token, order, pageParam), signal);
      refuseRepeatedCursor(answer, pageParam, client.getQueryData<UtxoPages>(queryKey as QueryKey));
      return answer;
    },
    initialPageParam: from,
    initialData: () => {
      const answer = answerFor(filter, first);
      return answer && { pages: [answer], pageParams: [from] };
    },
    getNextPageParam: ({ data }) => (data.hasNext ? data.lastCursor : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
}

export type UtxoPages = InfiniteData<Answer<UtxoList>, string>;

/** A cursor that was followed before would make the walk endless. */
export function refuseRepeatedCursor(
  answer: Answer<UtxoList>,
  cursor: string,
  loaded: UtxoPages | undefined,
): void {
  const { hasNext, lastCursor } = answer.data;
  if (!hasNext) return;
  if (lastCursor === cursor || loaded?.pageParams.includes(lastCursor)) {
    throw new RequestError("CURSOR_REPEATED", "The list does not advance: its cursor came a second time", {
      requestId: answer.requestId,
    });
  }
}

/** All rows in order. An out point is kept where it came first: after a reorganisation it may come again. */
export function mergeUtxos(pages: readonly Answer<UtxoList>[]): UtxoEntry[] {
  const seen = new Set<string>();
  const rows: UtxoEntry[] = [];
  for (const { data } of pages) {
    for (const entry of data.result) {
      if (seen.has(entry.outPoint)) continue;
      seen.add(entry.outPoint);
      rows.push(entry);
    }
  }
  return rows;
}

export interface AssetChangeFilter {
  blockHash: string;
  assetName: string;
  tags: readonly string[];
  /** By volume; null for the order of first appearance. */
  volumeOrder: "asc" | "desc" | null;
  page: number;
  pageSize: number;
}

/** The request of a page of a block's asset changes, as path and query. */
export function assetChangesPath(filter: AssetChangeFilter): string {
  return urlOf(ASSET_CHANGES, { blockHash: filter.blockHash }, assetChangesQuery(filter));
}

function assetChangesQuery({ assetName, tags, volumeOrder, page, pageSize }: AssetChangeFilter) {
  const order = volumeOrder && { orderKey: "volume", orderDirection: volumeOrder };
  return { assetName, tags, ...order, page, pageSize };
}

/** One page of a block's asset changes. */
export function blockAssetChanges(
  filter: AssetChangeFilter,
  first: FirstAnswer<AssetChangeFilter, AssetChangeList> | null = null,
) {
  const { blockHash, ...rest } = filter;
  return queryOptions({
    queryKey: ["block-asset-changes", blockHash, rest] as const,
    queryFn: ({ signal }): Promise<Answer<AssetChangeList>> =>
      request(ASSET_CHANGES, { blockHash }, assetChangesQuery(filter), signal),
    initialData: () => answerFor(filter, first),
    staleTime: 60_000,
  });
}

const STATUS_EVERY_MS = 15_000;

export function hasSessionEnded(error: Error | null): boolean {
  return error instanceof RequestError && error.code === "UNAUTHORIZED";
}

/** Where the index stands, asked again and again while the page is looked at and its session lasts. */
export function chainStatus() {
  return queryOptions({
    queryKey: ["chain-status"] as const,
    queryFn: async ({ signal }) => (await ask<ChainStatus>("/status", (body) => "tip" in body, signal)).data,
    staleTime: STATUS_EVERY_MS,
    refetchInterval: ({ state }) => !hasSessionEnded(state.error) && STATUS_EVERY_MS,
    // The session may have gone on in another tab.
    refetchOnWindowFocus: true,
    retry: false,
  });
}

/** Whether what came since `read` concerns an address's list; asked once for each new tip. */
export function listChange(address: string, cells: number, read: AnswerTip | null, now: ChainStatus["tip"]) {
  const about = new URLSearchParams({ address, cells: String(cells), since: read?.hash ?? "" });
  return queryOptions({
    queryKey: ["list-change", String(about), now?.hash] as const,
    queryFn: async ({ signal }) =>
      (await ask<ListChange>(`/changes?${about}`, (body) => "kind" in body, signal)).data,
    enabled: read !== null && now !== null && read.hash !== now.hash,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
