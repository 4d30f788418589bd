"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useTable } from "@tanstack/react-table";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { terms } from "#chain/terms.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { Failure, useFailurePause } from "#components/Failure.tsx";
import { features } from "#components/table/columns.ts";
import { DataTable } from "#components/table/DataTable.tsx";
import { ExportButton } from "#components/table/ExportButton.tsx";
import type { Exportable } from "#components/table/export-source.ts";
import { TextFilter } from "#components/table/TextFilter.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Skeleton } from "#components/ui/Skeleton.tsx";
import { exactUnits } from "#lib/client/chain-text.ts";
import { pasteText, walkPages } from "#lib/client/export.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import {
  HOLDINGS_PAGE,
  type Holding,
  holdingsPath,
  holdingsQuery,
  MAX_HOLDINGS_PAGE,
  requestHoldings,
  requireSameTip,
} from "#lib/client/holdings.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import { HoldingRows, holdingColumns, unpricedColumns } from "./holding-columns.tsx";
import { type HoldingsProps, useFlagsOfTokens } from "./holdings.ts";

const HoldingDetails = lazy(() => import("./HoldingDetails.tsx"));

const csv: CsvColumns<Holding> = {
  id: [["token", ({ id }) => id]],
  symbol: [["symbol", ({ symbol }) => symbol]],
  name: [["name", ({ name }) => name]],
  icon: [],
  decimals: [["decimals", ({ decimals }) => decimals]],
  standard: [["standard", ({ standard }) => standard]],
  public: [["listed", ({ public: listed }) => (listed ? "yes" : "no")]],
  amount: [
    ["amount", ({ amount }) => amount],
    ["amount_in_units", (holding) => exactUnits(holding.amount, holding)],
  ],
  outputCount: [[terms.output.many, ({ outputCount }) => outputCount]],
  capacity: [["capacity", ({ capacity }) => capacity]],
  price: [["price_usd", ({ price }) => price ?? ""]],
  priceTime: [
    ["price_time", ({ priceTime }) => (priceTime === null ? "" : new Date(priceTime).toISOString())],
  ],
  valueUsd: [["value_usd", ({ valueUsd }) => valueUsd ?? ""]],
};

const noRows: Holding[] = [];
const idOf = ({ id }: Holding) => id;

/** What the address holds, a row for each token, the most valuable first. */
export default function HoldingsPanel({
  address,
  native,
  namesakes,
  first,
  valueUsd,
  onShown,
}: HoldingsProps) {
  const [search, setSearch] = useState("");
  const query = useInfiniteQuery(holdingsQuery(address, search, first));
  useEffect(onShown, [onShown]);
  const paused = useFailurePause(query);
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ data }) => data.result) ?? noRows, [pages]);
  const total = pages?.[0]?.data.total ?? null;
  const tip = pages?.at(-1)?.tip ?? null;
  const flagsOfToken = useFlagsOfTokens(native, namesakes);
  const facts = useMemo(
    () => ({ native, valueUsd: BigInt(valueUsd), flagsOf: flagsOfToken }),
    [native, valueUsd, flagsOfToken],
  );
  // The most valuable come first: if the first one has no price, none has.
  const priced = (first.data.result[0]?.valueUsd ?? null) !== null;
  const table = useTable({
    features,
    columns: priced ? holdingColumns : unpricedColumns,
    data: rows,
    getRowId: idOf,
  });
  const details = useCallback(
    (holding: Holding) => (
      <Suspense fallback={<Skeleton className="w-1/2" />}>
        <HoldingDetails
          address={address}
          holding={holding}
          flags={flagsOfToken(holding)}
          native={native}
          tip={tip}
        />
      </Suspense>
    ),
    [address, flagsOfToken, native, tip],
  );
  const path = holdingsPath(address, search);
  const source: Exportable<Holding> = {
    list: { name: "holdings", csv },
    subject: address,
    query: path,
    loaded: { rows, query: path, tip },
    total,
    walk: async (options) => {
      let begun: AnswerTip | null | undefined;
      await walkPages({
        ...options,
        read: async (page) => {
          const place = { page, pageSize: MAX_HOLDINGS_PAGE };
          const answer = await requestHoldings(address, search, place, options.signal);
          if (begun !== undefined) requireSameTip(begun, answer.tip);
          begun = answer.tip;
          return answer;
        },
      });
    },
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <TextFilter
          value={search}
          onValue={setSearch}
          label="Search name, symbol or id"
          clearLabel="Clear the search"
        />
        <CopyButton text={() => pasteText(rows, csv)} label="the shown tokens as a table">
          Copy
        </CopyButton>
        <ExportButton source={source} />
        <span className="ml-auto text-text-2" role="status">
          {total !== null && countText(rows.length, total, search !== "")}
          {tip && `, as of block ${formatCount(tip.height)}`}
        </span>
      </div>
      <div className="max-h-[min(60vh,600px)] overflow-y-auto border-t">
        <HoldingRows value={facts}>
          <DataTable
            table={table}
            caption="Holdings"
            className="[--sticky-top:0px] max-sm:[--row-min:56px]"
            rowCount={total ?? -1}
            busy={query.isFetching}
            skeletonRows={query.isFetching && !paused ? 3 : 0}
            details={details}
            after={
              query.error ? (
                <Failure
                  bare
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
        </HoldingRows>
        {query.hasNextPage && !query.error && (
          <div className="flex justify-center border-t py-2">
            <Button disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
              {query.isFetching ? "Loading…" : `Show next ${HOLDINGS_PAGE}`}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function countText(shown: number, total: number, searched: boolean): string {
  const all = searched ? `${countOf(total, "token")} found` : countOf(total, "token");
  return shown < total ? `${formatCount(shown)} of ${all} shown` : all;
}
