/** What an address holds, from `GET /holdings`: for the pages only, not part of the API. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { NumberedPage } from "./queries.ts";
import { type Answer, type AnswerTip, ask, RequestError } from "./request.ts";

/** What an address holds of one asset. Amounts are exact decimal digits. */
export interface Holding {
  id: string;
  name: string;
  symbol: string;
  icon: string;
  decimals: number;
  /** What issued it, as the API's `kind` of an asset says. */
  standard: string;
  public: boolean;
  /** In the smallest unit. */
  amount: string;
  /** Of the outputs that hold it, in the native asset's smallest unit. */
  capacity: string;
  outputCount: number;
  /** US dollars for one whole token, as decimal text; null if the asset has no price, and so are the next two. */
  price: string | null;
  /** When that price came into force, in milliseconds since the Unix epoch. */
  priceTime: number | null;
  /** US dollars, as decimal text with at most 8 decimals. */
  valueUsd: string | null;
}

/** Holdings that come with the page, and that one request of the panel brings. */
export const HOLDINGS_PAGE = 100;
/** Holdings of one request of an export: the most that the server gives at once. */
export const MAX_HOLDINGS_PAGE = 5_000;
/** The longest search that the server takes, in UTF-16 code units. */
export const MAX_HOLDING_SEARCH = 200;

type HoldingPage = Answer<NumberedPage<Holding>>;

interface Place {
  page: number;
  pageSize: number;
}

/** The request of a page of the list, as path and query. */
export function holdingsPath(address: string, search: string, place?: Place): string {
  const about = new URLSearchParams({ address, ...(search && { search }) });
  if (place) {
    about.set("page", String(place.page));
    about.set("pageSize", String(place.pageSize));
  }
  return `/holdings?${about}`;
}

/** Asks for a page of the list. Throws as `request` does. */
export function requestHoldings(address: string, search: string, place: Place, signal: AbortSignal) {
  const isAnswer = (body: Record<string, unknown>) =>
    Array.isArray(body.result) && typeof body.total === "number";
  return ask<NumberedPage<Holding>>(holdingsPath(address, search, place), isAnswer, signal);
}

/** The list page after page; `first` came with the page that shows it. */
export function holdingsQuery(address: string, search: string, first: HoldingPage | null) {
  return infiniteQueryOptions({
    queryKey: ["holdings", address, search, first?.tip?.hash] as const,
    queryFn: ({ pageParam, signal }) =>
      requestHoldings(address, search, { page: pageParam, pageSize: HOLDINGS_PAGE }, signal),
    initialPageParam: 1,
    initialData: () => (first && search === "" ? { pages: [first], pageParams: [1] } : undefined),
    getNextPageParam: ({ data }, pages) =>
      pages.length * HOLDINGS_PAGE < data.total ? pages.length + 1 : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One holding, found by its asset's id: for one that did not come with the page. Null if the address has none. */
export function holdingQuery(address: string, token: string, tip: AnswerTip | null) {
  return queryOptions({
    queryKey: ["holding", address, token, tip?.hash] as const,
    queryFn: async ({ signal }) => {
      const { data } = await requestHoldings(address, token, { page: 1, pageSize: 1 }, signal);
      return data.result.find(({ id }) => id === token) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Throws LIST_CHANGED if the pages were not read at the same block: their rows may be missing or repeated. */
export function requireSameTip(one: AnswerTip | null, other: AnswerTip | null): void {
  if (one?.hash === other?.hash) return;
  throw new RequestError("LIST_CHANGED", "The chain went on while the list was read");
}
