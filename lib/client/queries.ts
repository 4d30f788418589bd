/** TanStack Query options for each request of a page, and the rules for retries. */
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
import { type Fetched, fetchData, hasCode, RequestError } from "./request.ts";
import type { SearchResults } from "./search.ts";
import {
  type BlockChange,
  type ChainStatus,
  type ChangesVolume,
  type ListChange,
  MAX_BLOCKS_READ,
} from "./status.ts";
import type { Visit } from "./visits.ts";

const RETRIES = 3;

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { code, status } = error;
  return code === "UNREACHABLE" || code === "TIMEOUT" || status === 429 || status === 502 || status >= 503;
}

/** After a timeout the reader decides whether to try again. */
export function shouldRetry(failureCount: number, error: Error): boolean {
  return failureCount < RETRIES && !hasCode(error, "TIMEOUT") && isPassing(error);
}

/** Milliseconds: the server's `Retry-After`, or 1, 2, 4 … seconds, at most 30. */
export function retryDelay(failureCount: number, error: Error): number {
  const retryAfter = error instanceof RequestError ? error.retryAfter : null;
  return (retryAfter ?? Math.min(2 ** failureCount, 30)) * 1000;
}

export interface CursorPage<Entry> {
  result: Entry[];
  hasNext: boolean;
  lastCursor: string;
  /** Set on a page that was read backwards: the list has entries before it. */
  hasEarlier?: boolean;
}

export interface NumberedPage<Entry> {
  result: Entry[];
  total: number;
}

/** A response that was rendered into the page, and the path and query of its request. */
export interface FirstPage<Page> {
  path: string;
  response: Fetched<Page>;
}

/** The place of the reader in a list. */
export interface ListPlace {
  /** The cursor that the list starts after. */
  from: string;
  /** Number of the first row in the whole list; 1 if unknown. */
  row: number;
  /** Number of rows before the one that a new page scrolls to. */
  skip: number;
}

export interface EndlessView extends ListPlace {
  /** An order that replaces the server's; `""` for none. */
  sort?: string;
}

export type CursorList<Entry, View, Of extends Params> = List<Entry, View, CursorPage<Entry>, Of>;
export type NumberedList<Entry, View, Of extends Params> = List<Entry, View, NumberedPage<Entry>, Of>;
type Params = Record<string, string>;
type CursorPages<Entry> = InfiniteData<Fetched<CursorPage<Entry>>, string>;

const BEFORE = "before:";
/** Whether a page of an endless list was read backwards, so that its parameter is not a cursor. */
export const isEarlierPage = (pageParam: string): boolean => pageParam.startsWith(BEFORE);

/** A list that grows by cursor, in both directions. It never refetches, so that rows do not move while they are read. */
export function endlessQuery<Entry, View extends EndlessView, Of extends Params>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
  first: FirstPage<CursorPage<Entry>> | null = null,
  pageSizeOf = () => ENDLESS_PAGE,
) {
  type Page = Fetched<CursorPage<Entry>>;
  const path = list.pathOf(of, view);
  const readBefore = async (id: string, signal: AbortSignal): Promise<Page> => {
    const paging = list.before!(view, id);
    const response = await list.read(of, view, paging, signal);
    const { result, hasNext } = response.data;
    const { firstIndex } = paging;
    // A list that starts at any index is read forwards.
    const earlier =
      firstIndex === undefined
        ? { result: result.toReversed(), hasEarlier: hasNext }
        : { result, hasEarlier: Number(firstIndex) > 0 };
    return { ...response, data: { ...earlier, hasNext: true, lastCursor: "" } };
  };
  return infiniteQueryOptions<Page, Error, CursorPages<Entry>, readonly [string, string], string>({
    queryKey: ["endless-list", path],
    queryFn: async ({ pageParam, signal, client, queryKey }) => {
      if (isEarlierPage(pageParam)) return readBefore(pageParam.slice(BEFORE.length), signal);
      // The view's own start may be something other than a cursor.
      const place = {
        pageSize: pageSizeOf(),
        ...(pageParam !== view.from && { cursor: pageParam, after: "" }),
      };
      const response = await list.read(of, view, place, signal);
      const cached = client.getQueryData<CursorPages<Entry>>(queryKey);
      refuseRepeatedCursor(response, pageParam, cached?.pageParams);
      return response;
    },
    initialPageParam: view.from,
    initialData: () =>
      first?.path === path ? { pages: [first.response], pageParams: [view.from] } : undefined,
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

/** Throws CURSOR_REPEATED if the next page's cursor was followed before, which would load forever. */
export function refuseRepeatedCursor(
  { data: { hasNext, lastCursor }, requestId }: Fetched<CursorPage<unknown>>,
  cursor: string,
  followed: readonly string[] = [],
): void {
  if (!hasNext || (lastCursor !== cursor && !followed.includes(lastCursor))) return;
  const message = "The list does not advance: the server sent the same cursor twice";
  throw new RequestError("CURSOR_REPEATED", message, { requestId });
}

/** Whether loading can only continue from the top of the list. */
export const isAtAnEnd = (error: Error): boolean => hasCode(error, "CURSOR_REPEATED", "LIST_REPLACED");

/** The block that a page of a list is as of, which is the tip unless it names one. */
export const asOfIn = ({ asOf, tip }: Fetched<unknown>): IndexTip | null => tip && { ...tip, ...asOf };

/** The blocks that pages are as of, lowest first, each once. Pages of a list that grows are read at different tips. */
export function asOfEach(pages: readonly Fetched<unknown>[]): IndexTip[] {
  const blocks = new Map(pages.flatMap((page) => asOfIn(page) ?? []).map((block) => [block.hash, block]));
  return [...blocks.values()].sort((one, other) => one.height - other.height);
}

/** All entries in order. A reorganisation may repeat one, which keeps its first place. */
export function mergePages<Entry>(
  pages: readonly Fetched<CursorPage<Entry>>[],
  idOf: (entry: Entry) => string,
): Entry[] {
  const entries = new Map<string, Entry>();
  for (const entry of pages.flatMap(({ data }) => data.result)) {
    const id = idOf(entry);
    if (!entries.has(id)) entries.set(id, entry);
  }
  return [...entries.values()];
}

export function pageQuery<Entry, View, Of extends Params>(
  list: NumberedList<Entry, View, Of>,
  of: Of,
  view: View,
  first: FirstPage<NumberedPage<Entry>> | null = null,
) {
  const path = list.pathOf(of, view);
  return queryOptions({
    queryKey: ["page-of-list", path] as const,
    queryFn: ({ signal }) => list.read(of, view, {}, signal),
    initialData: () => (first?.path === path ? first.response : undefined),
    staleTime: 60_000,
  });
}

const STATUS_EVERY_MS = 5_000;
/** While events arrive, polling only finds missed events and an unreachable server. */
const FOLLOWED_STATUS_EVERY_MS = 15_000;

let isFollowed = false;

/** Polls less often while events bring new tips to this tab. */
export function setFollowed(followed: boolean): void {
  isFollowed = followed;
}

export function hasSessionEnded(error: Error | null): boolean {
  return hasCode(error, "UNAUTHORIZED");
}

/** The index's status, polled while the page is visible and its session lasts. */
export function chainStatus() {
  return queryOptions({
    queryKey: ["chain-status"] as const,
    queryFn: ({ signal }) => fetchData<ChainStatus>("/status", (body) => "tip" in body, signal),
    staleTime: STATUS_EVERY_MS,
    refetchInterval: ({ state }) =>
      !hasSessionEnded(state.error) && (isFollowed ? FOLLOWED_STATUS_EVERY_MS : STATUS_EVERY_MS),
    // The reader may have signed in again in another tab.
    refetchOnWindowFocus: true,
    retry: false,
  });
}

type Tip = ChainStatus["tip"];

/**
 * Data that may change with each tip, and is read once per tip. Use it with `useAtTip`, which keeps the last tip's data meanwhile.
 * @param readAt hash of the tip that the page was read at
 * @param about what the data describes, if requests of several paths describe the same
 */
function atTip<Data>(
  path: string,
  isExpected: (body: object) => boolean,
  readAt: string,
  now: Tip,
  about = path,
) {
  return queryOptions({
    queryKey: [about, readAt, now?.hash, path] as const,
    queryFn: ({ signal }) => fetchData<Data>(path, isExpected, signal),
    enabled: now !== null && now.hash !== readAt,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type AtTip<Data> = ReturnType<typeof atTip<Data>>;

const hasKind = (body: object) => "kind" in body;

/**
 * Whether the blocks since `read` change the list of an address.
 * @param token the asset that it shows; `""` for all
 * @param read the blocks that its rows were read at, lowest first
 */
export function listChange(address: string, token: string, read: readonly IndexTip[], now: Tip) {
  const about = new URLSearchParams({ address, ...(token !== "" && { token }) });
  const [lowest, ...others] = read.map(({ hash }) => hash);
  // Those that a reorganisation may have replaced are the newest.
  const since = [lowest!, ...others.slice(1 - MAX_BLOCKS_READ)].map((hash) => `&since=${hash}`);
  return atTip<ListChange>(`/changes?${about}${since.join("")}`, hasKind, lowest!, now, `/changes?${about}`);
}

/** Whether a block is still on the chain, and its next block. `readAt`: hash of the tip when that was read. */
export function blockChange(hash: string, readAt: string, now: Tip) {
  return atTip<BlockChange>(`/changes?block=${hash}`, hasKind, readAt, now);
}

/** Whether a list of the block was refused because the block is gone. This is known before the next status. */
export function blockRefused(hash: string) {
  return queryOptions({
    queryKey: ["block-refused", hash] as const,
    queryFn: skipToken,
    initialData: false,
  });
}

/** The newest blocks. The first argument came with the page. */
export function latestBlocks({ blocks: [tip] }: LatestBlocks, now: Tip) {
  return atTip<LatestBlocks>("/latest-blocks", (body) => "blocks" in body, tip?.hash ?? "", now);
}

/** The assets that moved most in a period. `first` came with the page. */
export function movedMost(period: Period, first: Moved, now: Tip) {
  return atTip<Moved>(`/moved?period=${period}`, (body) => "rows" in body, first.tip.hash, now);
}

/** Changes of addresses since these visits, in their order. `valued`: with what they hold now. */
export function sinceVisits(visits: readonly Visit[], now: Tip, valued = false) {
  const of = new URLSearchParams(
    visits.map(({ address, height, hash }) => ["of", `${address},${height},${hash}`]),
  );
  if (valued) of.set("value", "usd");
  return {
    ...atTip<SinceVisit[]>(`/visits?${of}`, Array.isArray, "", now),
    enabled: now !== null && visits.length > 0,
  };
}

/** Typing must pause for this long before a search starts. */
const TYPING_MS = 150;

/** Results of a search. Further typing cancels it. */
export function searchQuery(text: string) {
  return queryOptions({
    queryKey: ["find", text] as const,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
      signal.throwIfAborted();
      const path = `/find?${new URLSearchParams({ q: text })}`;
      return fetchData<SearchResults>(path, (body) => "results" in body, signal);
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    gcTime: 60_000,
    retry: false,
  });
}

/** The canonical forms of addresses, in their order; null for what is no address of the served chain and network. */
export function addressForms(addresses: readonly string[]) {
  const path = `/address-forms?${new URLSearchParams(addresses.map((one) => ["address", one]))}`;
  return queryOptions({
    queryKey: ["address-forms", path] as const,
    queryFn: ({ signal }) => fetchData<(string | null)[]>(path, Array.isArray, signal),
    gcTime: 0,
  });
}

/** The volume of a filtered list. `path` is a request of `GET /volume`; null without a filter. */
export function volumeQuery(path: string | null) {
  return queryOptions({
    queryKey: ["volume", path] as const,
    queryFn: ({ signal }) => fetchData<ChangesVolume>(path!, (body) => "volumeUsd" in body, signal),
    enabled: path !== null,
    staleTime: 60_000,
  });
}
