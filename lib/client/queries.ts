/** What pages ask of the server, as query options, and when they ask again after a failure. */
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  skipToken,
} from "@tanstack/react-query";
import type { IndexTip } from "#lib/contract/ledger.ts";
import type { LatestBlocks, Moved, Period, SinceVisit } from "./home.ts";
import { ENDLESS_PAGE, type List } from "./list.ts";
import { type Fetched, fetchJson, RequestError } from "./request.ts";
import type { SearchAnswer } from "./search.ts";
import type { BlockChange, ChainStatus, ChangesVolume, ListChange } from "./status.ts";
import type { Visit } from "./visits.ts";

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

export interface CursorPage<Entry> {
  result: Entry[];
  hasNext: boolean;
  lastCursor: string;
  /** Set on a page that was read backwards: whether there are entries before it. */
  hasEarlier?: boolean;
}

export interface NumberedPage<Entry> {
  result: Entry[];
  total: number;
}

/** An answer that came with its page, and the request that it answers. */
export interface FirstAnswer<Page> {
  path: string;
  answer: Fetched<Page>;
}

/** The view of an endless list: the cursor that it starts after, and the place of its first row (1 if unknown). */
export interface EndlessView {
  from: string;
  row: number;
  /** Another order of the rows than the server's; `""` for none. */
  sort?: string;
}

export type CursorList<Entry, View, Of extends Params> = List<Entry, View, CursorPage<Entry>, Of>;
export type NumberedList<Entry, View, Of extends Params> = List<Entry, View, NumberedPage<Entry>, Of>;
type Params = Record<string, string>;
type CursorPages<Entry> = InfiniteData<Fetched<CursorPage<Entry>>, string>;

const BEFORE = "before:";
/** Whether a page of an endless list was read backwards: its parameter is no cursor then. */
export const isEarlierPage = (pageParam: string): boolean => pageParam.startsWith(BEFORE);

/**
 * A list that goes on by cursor, and backwards if it started part-way. Its pages are never fetched again in the
 * background, so rows do not move while they are read.
 */
export function endlessQuery<Entry, View extends EndlessView, Of extends Params>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
  first: FirstAnswer<CursorPage<Entry>> | null = null,
  pageSizeOf = () => ENDLESS_PAGE,
) {
  type Page = Fetched<CursorPage<Entry>>;
  const path = list.pathOf(of, view);
  const readBefore = async (id: string, signal: AbortSignal): Promise<Page> => {
    const answer = await list.read(of, view, list.before!(view, id), signal);
    const { result, hasNext } = answer.data;
    const data = { result: result.toReversed(), hasNext: true, hasEarlier: hasNext, lastCursor: "" };
    return { ...answer, data };
  };
  return infiniteQueryOptions<Page, Error, CursorPages<Entry>, readonly [string, string], string>({
    queryKey: ["endless-list", path],
    queryFn: async ({ pageParam, signal, client, queryKey }) => {
      if (isEarlierPage(pageParam)) return readBefore(pageParam.slice(BEFORE.length), signal);
      // The view itself says where it starts, and maybe not by a cursor.
      const place = {
        pageSize: pageSizeOf(),
        ...(pageParam !== view.from && { cursor: pageParam, after: "" }),
      };
      const answer = await list.read(of, view, place, signal);
      refuseRepeatedCursor(answer, pageParam, client.getQueryData<CursorPages<Entry>>(queryKey)?.pageParams);
      return answer;
    },
    initialPageParam: view.from,
    initialData: () =>
      first?.path === path ? { pages: [first.answer], pageParams: [view.from] } : undefined,
    getNextPageParam: ({ data }) => (data.hasNext ? data.lastCursor : undefined),
    getPreviousPageParam: ({ data }, _pages, pageParam) => {
      const [entry] = data.result;
      const earlier = data.hasEarlier ?? pageParam !== "";
      return list.before && earlier && entry !== undefined ? BEFORE + list.idOf(entry) : undefined;
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
  answer: Fetched<CursorPage<unknown>>,
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

/** Whether a list cannot go on after its last cursor: it has to be read from its top. */
export const isAtAnEnd = (error: Error): boolean =>
  error instanceof RequestError && (error.code === "CURSOR_REPEATED" || error.code === "LIST_REPLACED");

/** The block that a page of a list is as of: its own, or the tip. */
export const asOfIn = ({ asOf, tip }: Fetched<unknown>): IndexTip | null => tip && { ...tip, ...asOf };

/** All entries in order. One that comes twice, as after a reorganisation, keeps its first place. */
export function mergePages<Entry>(
  pages: readonly Fetched<CursorPage<Entry>>[],
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

export function pageQuery<Entry, View, Of extends Params>(
  list: NumberedList<Entry, View, Of>,
  of: Of,
  view: View,
  first: FirstAnswer<NumberedPage<Entry>> | null = null,
) {
  const path = list.pathOf(of, view);
  return queryOptions({
    queryKey: ["page-of-list", path] as const,
    queryFn: ({ signal }) => list.read(of, view, {}, signal),
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
    queryFn: async ({ signal }) =>
      (await fetchJson<ChainStatus>("/status", (body) => "tip" in body, signal)).data,
    staleTime: STATUS_EVERY_MS,
    refetchInterval: ({ state }) =>
      !hasSessionEnded(state.error) && (isFollowed ? FOLLOWED_STATUS_EVERY_MS : STATUS_EVERY_MS),
    // The reader may have signed in again in another tab.
    refetchOnWindowFocus: true,
    retry: false,
  });
}

type Tip = ChainStatus["tip"];

/** What may change with each tip: asked once for each that the page was not read at. `readAt` is a tip's hash. */
function atTip<Data>(path: string, isAnswer: (body: object) => boolean, readAt: string, now: Tip) {
  return queryOptions({
    queryKey: [path, now?.hash] as const,
    queryFn: async ({ signal }) => (await fetchJson<Data>(path, isAnswer, signal)).data,
    enabled: now !== null && now.hash !== readAt,
    // The answer at the last tip, until this one's is there.
    placeholderData: (last, query) => (query?.queryKey[0] === path ? last : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

const hasKind = (body: object) => "kind" in body;

/** Whether the blocks since `read` change the list of an address. */
export function listChange(address: string, read: IndexTip, now: Tip) {
  const about = new URLSearchParams({ address, since: read.hash });
  return atTip<ListChange>(`/changes?${about}`, hasKind, read.hash, now);
}

/** Whether a block is still on the chain, and which one is next. */
export function blockChange(hash: string, read: IndexTip, now: Tip) {
  return atTip<BlockChange>(`/changes?block=${hash}`, hasKind, read.hash, now);
}

/** Whether a list of the block was refused because the block is gone: known before the next tip says what became of it. */
export function blockRefused(hash: string) {
  return queryOptions({
    queryKey: ["block-refused", hash] as const,
    queryFn: skipToken,
    initialData: false,
  });
}

/** The newest blocks. `first` came with the page. */
export function latestBlocks({ blocks: [tip] }: LatestBlocks, now: Tip) {
  return atTip<LatestBlocks>("/latest-blocks", (body) => "blocks" in body, tip?.hash ?? "", now);
}

/** What moved most in a period. `first` came with the page. */
export function movedMost(period: Period, first: Moved, now: Tip) {
  return atTip<Moved>(`/moved?period=${period}`, (body) => "rows" in body, first.tip.hash, now);
}

/** What happened to addresses since these visits, in their order. */
export function sinceVisits(visits: readonly Visit[], now: Tip) {
  const of = new URLSearchParams(
    visits.map(({ address, height, hash }) => ["of", `${address},${height},${hash}`]),
  );
  return {
    ...atTip<SinceVisit[]>(`/visits?${of}`, Array.isArray, "", now),
    enabled: now !== null && visits.length > 0,
  };
}

/** Keys that follow each other faster are one search. */
const TYPING_MS = 150;

/** What a text finds. A text that is typed on is no longer asked for. */
export function searchAnswer(text: string) {
  return queryOptions({
    queryKey: ["find", text] as const,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
      signal.throwIfAborted();
      const path = `/find?${new URLSearchParams({ q: text })}`;
      return (await fetchJson<SearchAnswer>(path, (body) => "results" in body, signal)).data;
    },
    enabled: text !== "",
    // What the text before it found, until this is there.
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    gcTime: 60_000,
    retry: false,
  });
}

/** What the assets of a filtered list moved; `path` is of `GET /volume`, and null without a filter. */
export function volumeQuery(path: string | null) {
  return queryOptions({
    queryKey: ["volume", path] as const,
    queryFn: async ({ signal }) =>
      (await fetchJson<ChangesVolume>(path!, (body) => "volumeUsd" in body, signal)).data,
    enabled: path !== null,
    staleTime: 60_000,
  });
}
