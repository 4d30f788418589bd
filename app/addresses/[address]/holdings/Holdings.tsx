"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { Failure, pauseOf } from "#components/Failure.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { SelectionBar, type Worth } from "#components/list/SelectionBar.tsx";
import { TextFilter } from "#components/list/TextFilter.tsx";
import { ListActions } from "#components/list/Toolbar.tsx";
import type { Exportable } from "#components/list/use-export.ts";
import { ColumnChooser } from "#components/table/ColumnChooser.tsx";
import { DataTable } from "#components/table/DataTable.tsx";
import { useDataTable } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import type { Namesakes } from "#lib/client/chain-text.ts";
import { pasteText, walkPages, wholeList } from "#lib/client/export.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import { HOLDINGS_PAGE, type Holding, MAX_HOLDING_SEARCH, MAX_HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import type { NumberedPage } from "#lib/client/queries.ts";
import { type Fetched, RequestError } from "#lib/client/request.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import type { ShownNative } from "../columns.tsx";
import { NothingHeld } from "../Nothing.tsx";
import { HOLDING_TABLE, type HoldingFacts, holdingColumns, unpricedColumns } from "./columns.tsx";
import { HoldingDetails } from "./HoldingDetails.tsx";
import { holdingList } from "./list.ts";

export interface AddressHoldings {
  address: string;
  /** Hash of the past block that they are as of; `""` for the tip. */
  at: string;
  native: ShownNative;
  /** The address's tokens that may be mistaken for one another. */
  namesakes: Namesakes;
  /** Number of distinct assets. Each NFT counts. */
  tokenCount: number;
  /** The most valuable ones. The Holdings tab has one row for the NFTs of a collection. */
  first: Fetched<NumberedPage<Holding>>;
}

const noRows: Holding[] = [];
const worthOf = (holding: Holding): Worth => ({
  asset: holding,
  amount: BigInt(holding.amount),
  usd: parseDecimal(holding.valueUsd ?? "", USD_DECIMALS),
});
const details = (holding: Holding) => <HoldingDetails holding={holding} />;

export interface ListTabProps {
  holdings: AddressHoldings;
  flagsOf: FlagsOf;
  /** Renders the tabs above the list, with its tools. */
  strip: (tools: ReactNode) => ReactNode;
}

interface Props extends ListTabProps {
  /** Value of all holdings, in units of 10^-8 US dollars. */
  valueUsd: string;
}

export function Holdings({ holdings, valueUsd, flagsOf, strip }: Props) {
  const { address, at, native, tokenCount, first } = holdings;
  const [search, setSearch] = useState("");
  const query = usePages(holdings, search);
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ data }) => data.result) ?? noRows, [pages]);
  const total = pages?.[0]?.data.total ?? null;
  const tip = at === "" ? (pages?.at(-1)?.tip ?? null) : first.tip;
  const facts = useMemo<HoldingFacts>(
    () => ({ address, native, flagsOf, valueUsd: BigInt(valueUsd), tip, onCollection: setSearch }),
    [address, native, flagsOf, valueUsd, tip],
  );
  // The most valuable come first: if the first has no price, none has.
  const priced = (first.data.result[0]?.valueUsd ?? null) !== null;
  const columns = priced ? holdingColumns : unpricedColumns;
  const table = useDataTable({ columns, rows, idOf: holdingList.idOf });
  const path = wholeList(holdingList.pathOf({ address }, { search, page: 1, at }));
  const source: Exportable<Holding> = {
    list: holdingList,
    subject: { address },
    query: path,
    loaded: { rows, query: path, tip },
    total,
    walk: async (options) => {
      let begun: IndexTip | null | undefined;
      await walkPages({
        ...options,
        read: async (page) => {
          // A file has a row for each NFT.
          const paging = { pageSize: MAX_HOLDINGS_PAGE, collections: "no" };
          const response = await holdingList.read({ address }, { search, page, at }, paging, options.signal);
          begun ??= response.tip;
          // Pages as of different blocks may miss rows or repeat them.
          if (begun?.hash !== response.tip?.hash) {
            throw new RequestError("LIST_CHANGED", "New blocks arrived while the list was read");
          }
          return response;
        },
      });
    },
  };
  const tools = strip(<ListActions source={source} />);
  if (tokenCount === 0) {
    return (
      <>
        {tools}
        <div className="p-4">
          <NothingHeld asOf={tip} />
        </div>
      </>
    );
  }
  return (
    <>
      {tools}
      <div className="flex flex-wrap items-center gap-2 py-2">
        <TextFilter
          value={search}
          onValue={setSearch}
          label="Search name, symbol or id"
          clearLabel="Clear the search"
        />
        <CopyButton text={() => pasteText(rows, holdingList.csv)} label="the shown tokens as a table">
          Copy
        </CopyButton>
        <ColumnChooser table={table} />
        <span className="ml-auto text-text-2" role="status">
          {total !== null && countText(rows.length, total, search === "" ? tokenCount : null)}
          {tip && `, as of block ${formatCount(tip.height)}`}
        </span>
      </div>
      <div>
        <DataTable
          table={table}
          caption="Holdings"
          className={HOLDING_TABLE}
          facts={facts}
          rowCount={total ?? -1}
          busy={query.isFetching}
          skeletonRows={query.isFetching && !pauseOf(query) ? 3 : 0}
          details={details}
          after={
            query.error ? (
              <Failure
                error={query.error}
                subject="The holdings"
                retrying={query.isFetching}
                onRetry={() => void (rows.length === 0 ? query.refetch() : query.fetchNextPage())}
              />
            ) : (
              total === 0 &&
              search !== "" && (
                <p className="text-text-2">No token here has this in its name, symbol or id.</p>
              )
            )
          }
        />
        {query.hasNextPage && !query.error && (
          <div className="flex justify-center py-4">
            <Button disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
              {query.isFetching ? "Loading…" : `Show next ${HOLDINGS_PAGE}`}
            </Button>
          </div>
        )}
      </div>
      <SelectionBar table={table} csv={holdingList.csv} worthOf={worthOf} />
    </>
  );
}

/** @param tokens number of all tokens; null if `rows` are the results of a search */
function countText(shown: number, rows: number, tokens: number | null): string {
  const some = shown < rows ? `${formatCount(shown)} of ` : "";
  if (tokens === null) return `${some}${countOf(rows, "token")} found`;
  if (rows === tokens) return `${some}${countOf(tokens, "token")}${some && " shown"}`;
  return `${countOf(tokens, "token")} in ${some}${countOf(rows, "row")}`;
}

/** The pages of the list. The first one came with the address. */
function usePages({ address, at, first }: AddressHoldings, search: string) {
  return useInfiniteQuery({
    queryKey: ["holdings", address, search, first.tip?.hash],
    queryFn: ({ pageParam, signal }) =>
      holdingList.read({ address }, { search, page: pageParam, at }, {}, signal),
    initialPageParam: 1,
    initialData: () => (search === "" ? { pages: [first], pageParams: [1] } : undefined),
    getNextPageParam: ({ data }, pages) =>
      pages.length * HOLDINGS_PAGE < data.total ? pages.length + 1 : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The holding of one token, requested if it did not come with the page. */
export function useHolding({ address, at, first }: AddressHoldings, token: string): Holding | undefined {
  const { result, total } = first.data;
  const loaded = result.find(({ id }) => id === token);
  const { data } = useQuery({
    queryKey: ["holding", address, token, first.tip?.hash],
    queryFn: async ({ signal }) => {
      const view = { search: token, page: 1, at };
      const { data } = await holdingList.read({ address }, view, { pageSize: 1 }, signal);
      return data.result.find(({ id }) => id === token) ?? null;
    },
    enabled: token !== "" && token.length <= MAX_HOLDING_SEARCH && !loaded && total > result.length,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return loaded ?? data ?? undefined;
}
