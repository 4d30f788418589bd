/** What pages ask of the server, as query options, and when they ask again after a failure. */
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from "@tanstack/react-query";
import { type Answer, type AnswerTip, ask, RequestError } from "./request.ts";
import type { BlockChange, ChainStatus, LatestBlock, ListChange } from "./status.ts";

const RETRIES = 3;

/** Whether the same request may succeed later, so that it is repeated automatically. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { code, status } = error;
  return code === "UNREACHABLE" || code === "TIMEOUT" || status === 429 || status === 502 || status >= 503;
}

/** A request that timed out is not repeated: after so long a wait the reader decides. */
export function shouldRetry(failureCount: number, error: Error): boolean {
  const timedOut = error instanceof RequestError && error.code === "TIMEOUT";
  return failureCount < RETRIES && !timedOut && isPassing(error);
}

/** Milliseconds: as long as the server asked for, or 1, 2, 4 … seconds, at most 30. */
export function retryDelay(failureCount: number, error: Error): number {
  const asked = error instanceof RequestError ? error.retryAfter : null;
  return (asked ?? Math.min(2 ** failureCount, 30)) * 1000;
}

/** A page of a list that is walked by cursor. */
export interface CursorPage<Entry> {
  result: Entry[];
  hasNext: boolean;
  lastCursor: string;
  /** Set on a page that was read backwards: whether there are entries before it. */
  hasEarlier?: boolean;
}

/** A page of a list with numbered pages. */
export interface NumberedPage<Entry> {
  result: Entry[];
  /** Entries on all pages. */
  total: number;
}

/** An answer that came with its page, and the request that it answers. */
export interface FirstAnswer<Page> {
  path: string;
  answer: Answer<Page>;
}

export type CursorPages<Entry> = InfiniteData<Answer<CursorPage<Entry>>, string>;

interface EndlessList<Entry> {
  /** The request of the page that the list starts with. */
  path: string;
  /** That page's cursor; `""` at the beginning. */
  from: string;
  read: (cursor: string, signal: AbortSignal) => Promise<Answer<CursorPage<Entry>>>;
  /** The entries just before the one with this id, in the list's order. */
  readBefore: (id: string, signal: AbortSignal) => Promise<Answer<CursorPage<Entry>>>;
  idOf: (entry: Entry) => string;
  first: FirstAnswer<CursorPage<Entry>> | null;
}

const BEFORE = "before:";
/** Whether a page of an endless list was read backwards: its parameter is no cursor then. */
export const isEarlierPage = (pageParam: string): boolean => pageParam.startsWith(BEFORE);

/**
 * A list that goes on by cursor, and backwards if it started part-way. Its pages are never fetched again in the background: new blocks show on
 * demand, so rows do not move while they are read.
 */
export function endlessQuery<Entry>({ path, from, read, readBefore, idOf, first }: EndlessList<Entry>) {
  type Page = Answer<CursorPage<Entry>>;
  return infiniteQueryOptions<Page, Error, CursorPages<Entry>, readonly [string, string], string>({
    queryKey: ["endless-list", path],
    queryFn: async ({ pageParam, signal, client, queryKey }) => {
      if (isEarlierPage(pageParam)) return readBefore(pageParam.slice(BEFORE.length), signal);
      const answer = await read(pageParam, signal);
      refuseRepeatedCursor(answer, pageParam, client.getQueryData<CursorPages<Entry>>(queryKey)?.pageParams);
      return answer;
    },
    initialPageParam: from,
    initialData: () => (first?.path === path ? { pages: [first.answer], pageParams: [from] } : undefined),
    getNextPageParam: ({ data }) => (data.hasNext ? data.lastCursor : undefined),
    getPreviousPageParam: ({ data }, _pages, pageParam) => {
      const [entry] = data.result;
      const earlier = data.hasEarlier ?? pageParam !== "";
      return earlier && entry !== undefined ? BEFORE + idOf(entry) : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
}

/** Throws CURSOR_REPEATED if the next page's cursor was followed before: the walk would never end. */
export function refuseRepeatedCursor(
  answer: Answer<CursorPage<unknown>>,
  cursor: string,
  followed: readonly string[] = [],
): void {
  const { hasNext, lastCursor } = answer.data;
  if (!hasNext) return;
  if (lastCursor === cursor || followed.includes(lastCursor)) {
    throw new RequestError("CURSOR_REPEATED", "The list does not advance: its cursor came a second time", {
      requestId: answer.requestId,
    });
  }
}

/** All entries in order. One that comes twice, as after a reorganisation, keeps its first place. */
export function mergePages<Entry>(
  pages: readonly Answer<CursorPage<Entry>>[],
  idOf: (entry: Entry) => string,
): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { data } of pages) {
    for (const entry of data.result) {
      const id = idOf(entry);
      if (!entries.has(id)) entries.set(id, entry);
    }
  }
  return [...entries.values()];
}

interface PagedList<Entry> {
  /** The request of the page. */
  path: string;
  read: (signal: AbortSignal) => Promise<Answer<NumberedPage<Entry>>>;
  first: FirstAnswer<NumberedPage<Entry>> | null;
}

/** One page of a list with numbered pages. */
export function pageQuery<Entry>({ path, read, first }: PagedList<Entry>) {
  return queryOptions({
    queryKey: ["page-of-list", path] as const,
    queryFn: ({ signal }) => read(signal),
    initialData: () => (first?.path === path ? first.answer : undefined),
    staleTime: 60_000,
  });
}

const STATUS_EVERY_MS = 5_000;
/** The same while events bring the news: the poll only finds what they missed, and that the server is away. */
const FOLLOWED_STATUS_EVERY_MS = 15_000;

let isFollowed = false;

/** Whether events bring the news of the tip to this tab. */
export function setFollowed(followed: boolean): void {
  isFollowed = followed;
}

export function hasSessionEnded(error: Error | null): boolean {
  return error instanceof RequestError && error.code === "UNAUTHORIZED";
}

/** Where the index stands, polled while the page is visible and its session lasts. */
export function chainStatus() {
  return queryOptions({
    queryKey: ["chain-status"] as const,
    queryFn: async ({ signal }) => (await ask<ChainStatus>("/status", (body) => "tip" in body, signal)).data,
    staleTime: STATUS_EVERY_MS,
    refetchInterval: ({ state }) =>
      !hasSessionEnded(state.error) && (isFollowed ? FOLLOWED_STATUS_EVERY_MS : STATUS_EVERY_MS),
    // The reader may have signed in again in another tab.
    refetchOnWindowFocus: true,
    retry: false,
  });
}

/** Whether the blocks since `read` change an address's list; asked once for each new tip. */
export function listChange(
  address: string,
  outputs: number,
  read: AnswerTip | null,
  now: ChainStatus["tip"],
) {
  const about = new URLSearchParams({ address, outputs: String(outputs), since: read?.hash ?? "" });
  return queryOptions({
    queryKey: ["list-change", String(about), now?.hash] as const,
    queryFn: async ({ signal }) =>
      (await ask<ListChange>(`/changes?${about}`, (body) => "kind" in body, signal)).data,
    enabled: read !== null && now !== null && read.hash !== now.hash,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** Whether a block is still on the chain, and which one is next; asked once for each new tip. */
export function blockChange(hash: string, read: AnswerTip, now: ChainStatus["tip"]) {
  return queryOptions({
    queryKey: ["block-change", hash, now?.hash] as const,
    queryFn: async ({ signal }) => {
      const { data } = await ask<BlockChange>(`/changes?block=${hash}`, (body) => "kind" in body, signal);
      return { hash, ...data };
    },
    enabled: now !== null && read.hash !== now.hash,
    // The answer at the last tip, until this one's is there; `hash` tells whether it is about the same block.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The newest blocks; asked once for each new tip. `first`: those that came with the page. */
export function latestBlocks(first: LatestBlock[], now: ChainStatus["tip"]) {
  return queryOptions({
    queryKey: ["latest-blocks", now?.hash ?? first[0]?.hash] as const,
    queryFn: async ({ signal }) => (await ask<LatestBlock[]>("/latest-blocks", Array.isArray, signal)).data,
    enabled: now !== null && now.hash !== first[0]?.hash,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
