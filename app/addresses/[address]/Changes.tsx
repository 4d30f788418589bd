import { AssetLabel } from "#components/AssetLabel.tsx";
import { differenceFigure, type FigureRow, FigureTable } from "#components/FigureTable.tsx";
import { Link } from "#components/Link.tsx";
import { type Exportable, exportByCursor } from "#components/list/exportable.ts";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { ListActions } from "#components/list/Toolbar.tsx";
import { FoldedReceipt } from "#components/Receipt.tsx";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Time } from "#components/Time.tsx";
import { displayDecimals, markedAmount } from "#lib/client/chain-text.ts";
import { capitalised, countOf, formatCount, formatDifference, formatUsd } from "#lib/client/format.ts";
import { comparedLines, tipLines } from "#lib/client/receipts.ts";
import { urlOf } from "#lib/client/request.ts";
import { addressPage, isWallet } from "#lib/client/wallet.ts";
import type { AddressChange } from "#lib/queries/address-changes/contract.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { changeList } from "./changes-list.ts";
import type { ListTabProps } from "./holdings/Holdings.tsx";
import { Range, type RangeProps } from "./Range.tsx";
import type { AddressChanges, ChangedToken, NoChanges } from "./read-changes.ts";
import { OTHER_TAB } from "./view.ts";

interface Props extends RangeProps {
  address: string;
  since: string;
  /** The last block of the range; `""` for the tip, and missing on the page as of a block. */
  to: string | undefined;
  /** Null if no block is chosen. */
  changes: AddressChanges | NoChanges | null;
  flagsOf: FlagsOf;
  /** The share of a token in the value of the address as of the page's block; undefined if it is unknown. */
  shareOf: (token: string) => string | undefined;
  /** Renders the tabs with the list's tools. */
  strip: ListTabProps["strip"];
}

/** The tokens that came in and went out since a block that the reader chooses. */
export function Changes({ address, since, to, changes, flagsOf, shareOf, strip, ...range }: Props) {
  const known = changes && !("fault" in changes) ? changes : null;
  const heights = { since: known?.since.height, to: known?.upTo?.height };
  return (
    <>
      {strip(known && <ListActions source={sourceOf(address, known)} />)}
      <div className="py-2">
        <Range {...range} since={since} to={to} heights={heights} />
      </div>
      {to && known?.upTo && <ReplacedNews block={known.upTo} />}
      {changes &&
        ("fault" in changes ? (
          <p role="status" className="py-2">
            {changes.fault}
          </p>
        ) : (
          <Flows changes={changes} address={address} flagsOf={flagsOf} shareOf={shareOf} />
        ))}
    </>
  );
}

/** Files have each output that was created or spent, also where the page counts it as change. */
function sourceOf(address: string, { since, upTo }: AddressChanges): Exportable<AddressChange> {
  const whole = exportByCursor(
    changeList,
    { address },
    { since: String(since.height), to: upTo?.hash ?? "" },
  );
  const fileRows = `every ${terms.output.one} that was created or spent, in chain order`;
  return { ...whole, fileRows, loaded: { rows: [], query: whole.query, tip: upTo, complete: false } };
}

function Flows({
  changes,
  address,
  flagsOf,
  shareOf,
}: Pick<Props, "address" | "flagsOf" | "shareOf"> & { changes: AddressChanges }) {
  const { upTo, total, rows, unpricedCount } = changes;
  const { height, block, replaced } = changes.since;
  const range = { since: block?.hash ?? String(height), ...(upTo && { to: upTo.hash }) };
  const noun = terms.hasTokens ? "token" : "asset";
  const name = `block ${formatCount(height)}`;
  const link = block ? (
    <Link href={`/blocks/${block.hash}`} className="underline">
      {name}
    </Link>
  ) : (
    name
  );
  return (
    <>
      <p className="py-2">
        {replaced && (
          <>
            Block {formatCount(replaced.height)} of this link was replaced by a reorganisation, so these are
            the changes since the fork.{" "}
          </>
        )}
        {rows.length === 0 ? "Nothing" : countOf(total, noun)} came in or went out since {link}
        {block && (
          <>
            {" "}
            (<Time time={block.timestamp} />)
          </>
        )}
        {upTo && `, up to block ${formatCount(upTo.height)}`}.
        {rows.length === 0 && " If its value changed, only prices did that."}
        {rows.length < total && ` Only the ${formatCount(rows.length)} with the largest net value are shown.`}
        {unpricedCount > 0 && terms.hasTokens && ` ${pricedText(total - unpricedCount, total)}`}
      </p>
      {rows.length > 0 && (
        <div className="border-t">
          <FigureTable
            caption={`Changes since block ${formatCount(height)}`}
            heads={[capitalised(noun), "In", "Out", "Net"]}
            rows={[
              ...(unpricedCount < total ? [totalOf(changes)] : []),
              ...rows.map((row) => ({
                key: row.token.id,
                label: (
                  <AssetLabel
                    asset={row.token}
                    flags={flagsOf(row.token)}
                    share={shareOf(row.token.id)}
                    wrapSymbol={(symbol) => (
                      <Link
                        href={{ tab: "statement", token: row.token.id, ...OTHER_TAB, ...range }}
                        scroll
                        title="What moved it"
                        className="flex min-h-6 max-w-full shrink-0 items-center"
                      >
                        {symbol}
                      </Link>
                    )}
                  />
                ),
                figures: figuresOf(row),
              })),
            ]}
          />
          <p className="border-t py-2 text-text-2 text-xs">
            Net by transaction, as in the statement: change{" "}
            {isWallet(address) ? "and what these addresses pay one another are" : "is"} in neither column.
            {unpricedCount < total &&
              " Values use the prices at the last block of the range. The chart of the value uses each block’s own prices, so its steps include changes of prices."}
          </p>
        </div>
      )}
      <FoldedReceipt
        className="border-t py-2"
        lines={[
          ["In", "sum of in / 10^decimals", "over the lines of the token"],
          ["Out", "sum of out / 10^decimals", "over the same lines"],
          ["Net", "in − out", "of the raw integers"],
          ["Value", "net × price", "below the net amount, at the price at the last block's time"],
          ...(block ? comparedLines([block]) : []),
          ...tipLines(upTo),
        ]}
        requests={[urlOf("/v0/addresses/{address}/statement", { address }, { from: height, to: upTo?.hash })]}
        link={addressPage(address, { tab: "changes", ...range })}
      />
    </>
  );
}

/** Says how many of the tokens have a price, if not all have one. */
function pricedText(priced: number, total: number): string {
  if (total === 1) return "It has no price.";
  return `${priced === 0 ? "None" : formatCount(priced)} of them ${priced === 1 ? "has" : "have"} a price.`;
}

/** The first row: the total value that came and left, including tokens that are not listed. */
function totalOf({ cameUsd, leftUsd }: AddressChanges): FigureRow {
  const [into, out] = [BigInt(cameUsd), BigInt(leftUsd)];
  return {
    key: "total",
    label: <span className="font-semibold">Value of all</span>,
    figures: [into, -out, into - out].map((usd) => differenceFigure(usd, formatUsd)),
  };
}

function figuresOf({ token, came, left, price }: ChangedToken): FigureRow["figures"] {
  const decimals = displayDecimals(token);
  const format = (size: bigint) => markedAmount(size, token, token.standard);
  const [into, out] = [BigInt(came.amount), BigInt(left.amount)];
  const net = into - out;
  const value =
    price !== null && decimals !== null
      ? formatDifference(net, (size) => formatUsd(valueInUsd(size, decimals, BigInt(price)), size).text)
      : undefined;
  const flow = (moved: bigint, { transactionCount }: ChangedToken["came"]) =>
    moved === 0n ? null : differenceFigure(moved, format, countOf(transactionCount, "transaction"));
  return [flow(into, came), flow(-out, left), differenceFigure(net, format, value)];
}
