"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { NumberedListView, useNumberedList } from "#components/list/numbered.tsx";
import { TextFilter } from "#components/list/TextFilter.tsx";
import { worthIn } from "#components/list/worth.ts";
import type { Namesakes } from "#lib/client/chain-text.ts";
import { countOf, formatCount, type Shares } from "#lib/client/format.ts";
import { HOLDINGS_PAGE, type Holding, MAX_HOLDING_SEARCH } from "#lib/client/holdings.ts";
import { pasteText } from "#lib/client/paste.ts";
import { type NumberedPage, pageQuery } from "#lib/client/queries.ts";
import { type Fetched, urlOf } from "#lib/client/request.ts";
import type { ShownNative } from "../columns.tsx";
import { NothingHeld } from "../Nothing.tsx";
import { HOLDING_TABLE, type HoldingFacts, holdingColumns, unpricedColumns } from "./columns.tsx";
import { HoldingDetails } from "./HoldingDetails.tsx";
import { holdingList } from "./list.ts";

export interface AddressHoldings {
  address: string;
  native: ShownNative;
  /** The address's tokens that may be mistaken for one another. */
  namesakes: Namesakes;
  /** Number of distinct assets. Each NFT counts. */
  tokenCount: number;
  /** Value of all holdings, in units of 10^-8 US dollars. */
  valueUsd: string;
  /** The most valuable ones, as of its `tip`. The Holdings tab has one row for the NFTs of a collection. */
  first: Fetched<NumberedPage<Holding>>;
}

/** The view of the first page. */
const START = { search: "", page: 1, size: HOLDINGS_PAGE };
const placeOf = ({ address, first }: AddressHoldings) => ({ address, at: first.tip?.hash ?? "" });

const worthOf = (holding: Holding) => worthIn(holding, holding.standard, holding.amount, holding.valueUsd);
const details = (holding: Holding) => <HoldingDetails holding={holding} />;

function copyOf({ id, members, collection }: Holding) {
  if (members === 1) return [id, "token id"] as const;
  return collection === "" ? null : ([collection, "collection id"] as const);
}

interface Props extends Omit<ListTabProps, "shareOf"> {
  /** Shares in the value of all holdings. */
  shares: Shares;
}

export interface ListTabProps {
  holdings: AddressHoldings;
  flagsOf: FlagsOf;
  /** The share of a token in the value of the address; undefined if it is unknown. */
  shareOf: (token: string) => string | undefined;
  /** Renders the tabs above the list, with its tools. */
  strip: (tools: ReactNode) => ReactNode;
}

export function Holdings({ holdings, shares, flagsOf, strip }: Props) {
  const { address, native, tokenCount, first } = holdings;
  const of = placeOf(holdings);
  const start = { path: holdingList.pathOf(of, START), response: first };
  const list = useNumberedList(holdingList, of, start, { address });
  const { view, change, rows, total } = list;
  const { tip } = list.source.loaded;
  const isWhole = list.isThere && list.shown.search === "";
  // Programs cannot send the request of the page, which answers only the dashboard.
  const query = urlOf("/v0/addresses/{address}/holdings", { address }, { at: of.at });
  // On the page, one row stands for all NFTs of a collection. A file of all rows lists them one by one.
  const complete = isWhole && rows.length === tokenCount;
  const loaded = { ...list.source.loaded, query, complete };
  const isSearch = list.shown.search !== "";
  const source = { ...list.source, query, loaded, isPart: isSearch, total: isWhole ? tokenCount : null };
  const setSearch = useCallback((search: string) => change({ search }), [change]);
  const facts = useMemo<HoldingFacts>(
    () => ({ address, native, flagsOf, shares, tip, onSearch: setSearch }),
    [address, native, flagsOf, shares, tip, setSearch],
  );
  // The most valuable come first: if the first has no price, none has.
  const priced = (first.data.result[0]?.valueUsd ?? null) !== null;
  return (
    <NumberedListView
      list={{ ...list, source }}
      rows={rows}
      caption="Holdings"
      columns={priced ? holdingColumns : unpricedColumns}
      facts={facts}
      worthOf={worthOf}
      details={details}
      copyOf={copyOf}
      tableClass={HOLDING_TABLE}
      tabs={(actions) =>
        strip(
          <>
            {tokenCount > 0 && (
              <CopyButton
                text={() => pasteText(rows, holdingList.csv)}
                label="the shown tokens as a table"
                tone="bare"
              >
                Copy
              </CopyButton>
            )}
            {actions}
          </>,
        )
      }
      controls={{
        search: tokenCount > 0 && (
          <TextFilter
            value={view.search}
            onValue={setSearch}
            label="Search name, symbol or id"
            clearLabel="Clear the search"
          />
        ),
      }}
      aside={
        tokenCount > 0 && (
          <span role="status">
            {list.isThere && countText(rows.length, total, isWhole ? tokenCount : null)}
            {tip && <span className="max-sm:hidden">, as of block {formatCount(tip.height)}</span>}
          </span>
        )
      }
      empty={
        view.search === "" ? (
          <NothingHeld asOf={tip} />
        ) : (
          <p className="text-text-2">No token here has this in its name, symbol or id.</p>
        )
      }
      expected={tokenCount}
    />
  );
}

/** @param tokens number of all tokens; null if `rows` are the results of a search */
function countText(shown: number, rows: number, tokens: number | null): string {
  const some = shown < rows ? `${formatCount(shown)} of ` : "";
  if (tokens === null) return `${some}${countOf(rows, "token")} found`;
  if (rows === tokens) return `${some}${countOf(tokens, "token")}${some && " shown"}`;
  return `${countOf(tokens, "token")} in ${some}${countOf(rows, "row")}`;
}

/** The holding of one token, requested if it did not come with the page. */
export function useHolding(holdings: AddressHoldings, token: string): Holding | undefined {
  const { result, total } = holdings.first.data;
  const isToken = ({ id }: Holding) => id === token;
  const loaded = result.find(isToken);
  const { data } = useQuery({
    ...pageQuery(holdingList, placeOf(holdings), { ...START, search: token }),
    enabled: token !== "" && token.length <= MAX_HOLDING_SEARCH && !loaded && total > result.length,
  });
  return loaded ?? data?.data.result.find(isToken);
}
