import { useMemo } from "react";
import { shownBlock } from "#components/BlockForm.tsx";
import { AmountFact, Fact } from "#components/Fact.tsx";
import { FilterChip } from "#components/FilterChip.tsx";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { ListActions } from "#components/list/Toolbar.tsx";
import type { Worth } from "#components/list/worth.ts";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { Notice } from "#components/ui/Notice.tsx";
import { Select } from "#components/ui/Select.tsx";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { formatCount, formatUtc } from "#lib/client/format.ts";
import type { CursorPage, FirstPage } from "#lib/client/queries.ts";
import type { ReceiptLine } from "#lib/client/receipts.ts";
import { urlOf } from "#lib/client/request.ts";
import { addressPage } from "#lib/client/wallet.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import { terms } from "#terms";
import { ChangeBar } from "../ChangeBar.tsx";
import { type ListTabProps, useHolding } from "../holdings/Holdings.tsx";
import { NothingHeld } from "../Nothing.tsx";
import { Range, type RangeProps } from "../Range.tsx";
import { TokenChip } from "../TokenChip.tsx";
import { changeIn, type StatementFacts, statementColumns, statementTable, tokenOf } from "./columns.tsx";
import { statementList } from "./list.ts";

/** A line's value is that of its closing balance, so it is not part of a sum. */
const worthOf = (line: StatementLine): Worth => ({
  asset: tokenOf(line),
  amount: changeIn(line),
  signed: true,
  usd: null,
});
const details = (line: StatementLine) => <LineDetails line={line} />;

const copyOf = ({ transaction }: StatementLine) =>
  transaction ? ([terms.hashText(transaction), "transaction hash"] as const) : null;
const blockOf = ({ blockHash }: StatementLine) => `/blocks/${blockHash}`;

export interface StatementProps extends ListTabProps, RangeProps {
  /** The rows that came with the page. */
  first: FirstPage<CursorPage<StatementLine>> | null;
}

/** A line for each transaction and token. It opens with the closing balance of the token's earlier line. */
export function Statement({ holdings, flagsOf, shareOf, strip, first, ...range }: StatementProps) {
  const { address } = holdings;
  const list = useEndlessList(statementList, { address }, first);
  const { view, change } = list;
  const holding = useHolding(holdings, view.token);
  const columns = useMemo(statementColumns, []);
  const lines = list.rows;
  const facts = useMemo<StatementFacts>(
    () => ({ address, flagsOf, lines, shareOf }),
    [address, flagsOf, lines, shareOf],
  );
  return (
    <>
      {strip(<ListActions source={list.source} />)}
      <div className="py-2">
        <Range
          {...range}
          since={view.since}
          to={view.at === "" ? view.to : undefined}
          heights={{ to: list.tip?.height }}
          whole="All"
        />
      </div>
      <EndlessListView
        list={list}
        rows={lines}
        total={null}
        noun="line"
        caption="Statement"
        columns={columns}
        sorting={[{ id: "transaction", desc: view.order === "desc" }]}
        onSort={([by]) => change({ order: by && !by.desc ? "asc" : "desc" })}
        facts={facts}
        worthOf={worthOf}
        details={details}
        copyOf={copyOf}
        blockOf={blockOf}
        tableClass={statementTable()}
        controls={{
          order: (
            <Select
              label="Order"
              value={view.order}
              choices={[
                ["desc", "Newest first"],
                ["asc", "Oldest first"],
              ]}
              onChoose={(order) => change({ order })}
            />
          ),
        }}
        filters={
          <>
            {view.to !== "" && (
              <FilterChip
                id={view.to}
                symbol={`Up to block ${list.tip ? formatCount(list.tip.height) : shownBlock(view.to)}`}
                onRemove={() => change({ to: "" })}
              >
                {null}
              </FilterChip>
            )}
            {view.token !== "" && (
              <TokenChip
                id={view.token}
                holding={holding}
                onRemove={() => change({ token: "" }, { history: "push" })}
              />
            )}
          </>
        }
        empty={
          list.tip === null ? (
            <NothingHeld asOf={null} />
          ) : (
            <Notice bare title="Nothing came in or went out">
              No block of this range created or spent outputs of the address.
            </Notice>
          )
        }
      />
      {list.tip && view.at === "" && view.to !== "" && <ReplacedNews block={list.tip} list={list} />}
      {list.tip && view.at === "" && view.to === "" && (
        <ChangeBar
          of="history"
          key={view.token}
          list={list}
          address={address}
          token={view.token}
          read={list.tips}
          onReload={list.reload}
        />
      )}
    </>
  );
}

/** A line in full, where opening + in − out = closing. */
function LineDetails({ line }: { line: StatementLine }) {
  const { address, flagsOf } = useRowFacts<StatementFacts>();
  const asset = tokenOf(line);
  const { height, blockHash, time, token, opening, out, closing, priceUsd, valueUsd } = line;
  const lines: ReceiptLine[] = [
    ...(priceUsd
      ? [["Value", `$${valueUsd}`, `at $${priceUsd}, the price as of the block's time`] as const]
      : []),
    ["Block hash", terms.hashText(blockHash), `block ${formatCount(height)}, ${formatUtc(Date.parse(time))}`],
  ];
  const range = {
    from: height === 0 ? "" : String(height - 1),
    to: blockHash,
    token,
    value: "usd",
    per: "transaction",
  } as const;
  return (
    <Details
      asset={asset}
      flags={flagsOf(asset)}
      receipt={{
        lines,
        requests: [urlOf("/v0/addresses/{address}/statement", { address }, range)],
        link: addressPage(address, {
          tab: "statement",
          token,
          since: range.from,
          to: blockHash,
        }),
      }}
      json={line}
    >
      {terms.hasTokens && <Fact name="Token id" value={token} />}
      <Fact name="Opening + in − out" value={`${opening} + ${line.in} − ${out}`} />
      <AmountFact
        name="Balance"
        amount={closing}
        decimals={displayDecimals(asset)}
        without={terms.outputKind(line.standard ?? "")?.unique}
      />
    </Details>
  );
}
