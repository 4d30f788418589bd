import { type ReactNode, Suspense } from "react";
import { Address } from "#components/Address.tsx";
import { LargeFigure } from "#components/Amount.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { changeOf } from "#components/change.ts";
import { AddressIcon } from "#components/icons.tsx";
import { LabelButton } from "#components/LabelButton.tsx";
import { Sourced } from "#components/Sourced.tsx";
import { WatchButton } from "#components/WatchButton.tsx";
import { countOf, formatAmount, formatCount, formatUsd, formatUtc } from "#lib/client/format.ts";
import { amountFormula, type ReceiptLine } from "#lib/client/receipts.ts";
import { urlOf } from "#lib/client/request.ts";
import { addressPage } from "#lib/client/wallet.ts";
import type { AddressOverview } from "#lib/queries/address-overview.ts";
import type { AddressSeries, SeriesPoint } from "#lib/queries/address-series.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { AsOf } from "./AsOf.tsx";
import type { ShownNative } from "./columns.tsx";

interface Props {
  address: string;
  /** Stands in place of the address. */
  title?: ReactNode;
  lockName: string | null;
  overview: AddressOverview;
  native: ShownNative;
  /** The values of the last week; null if they could not be read. */
  week: Promise<AddressSeries | null>;
  /** Everything in one line, above a part of the page that needs the room. */
  short: boolean;
}

const blockText = ({ height, timestamp }: Pick<BlockHeader, "height" | "timestamp">) =>
  `block ${formatCount(height)}, ${formatUtc(timestamp)}`;

const asOfLines = (block: BlockHeader | null): ReceiptLine[] =>
  block ? [["As of block", terms.hashText(block.hash), blockText(block)]] : [];

const holdingsAt = (address: string, { hash }: { hash: string }) =>
  urlOf("/v0/addresses/{address}/holdings", { address }, { at: hash });

/** The value of the address; without any price, the capacity of all its outputs, including those with tokens. */
export function Headline({ address, title: heading, lockName, overview, native, week, short }: Props) {
  const { asOf, tip } = overview;
  const { name, line, title, text, unit } = isPriced(overview)
    ? worthOf(overview)
    : capacityOf(overview, native);
  return (
    <div
      data-short={short || undefined}
      className={
        short
          ? "flex min-h-14 min-w-0 items-center gap-x-4 whitespace-nowrap max-sm:flex-wrap max-sm:justify-between max-sm:gap-x-2"
          : "min-w-0 max-sm:col-span-full max-sm:row-start-1"
      }
    >
      {heading ?? (
        <div
          className={`flex min-w-0 items-center gap-x-2 whitespace-nowrap text-text-2 max-sm:flex-wrap max-sm:pb-1 print:flex-wrap ${short ? "" : "flex-wrap"}`}
        >
          <span className="flex min-w-0 max-w-full items-center gap-x-2">
            <AddressIcon className={short ? "max-sm:hidden" : ""} />
            <Address address={address} whole={!short} />
            <CopyButton text={address} label="address" />
          </span>
          <span className={`min-w-0 truncate ${short ? "max-lg:hidden" : ""}`}>
            {lockName ?? "unknown lock"}
          </span>
          {!short && <LabelButton address={address} />}
          {asOf && asOf.hash === tip?.hash && (
            <WatchButton
              address={address}
              height={asOf.height}
              hash={asOf.hash}
              valueUsd={isPriced(overview) || overview.tokenCount === 0 ? overview.valueUsd : null}
              hidden={short}
            />
          )}
        </div>
      )}
      <Sourced
        name={name}
        className={`font-bold ${short ? "text-xl max-sm:text-base" : "text-3xl max-md:text-2xl"}`}
        receipt={{
          lines: [line, ...asOfLines(asOf)],
          requests: asOf ? [holdingsAt(address, asOf)] : [],
          link: addressPage(address, asOf ? { at: asOf.hash } : {}),
        }}
      >
        <span title={title}>
          <LargeFigure text={text} unit={unit} small={short} />
        </span>
      </Sourced>
      <div
        className={`flex gap-x-3 gap-y-1 text-text-2 ${short ? "max-lg:hidden" : "mt-1 flex-wrap max-sm:min-h-11 max-sm:content-start max-sm:pe-20"}`}
      >
        <Suspense fallback={<span className="h-5 w-28" />}>
          <Changes address={address} overview={overview} week={week} />
        </Suspense>
        {!terms.hasTokens && isPriced(overview) && (
          <span>
            {formatAmount(overview.capacity, native.decimals).text} {native.symbol}
          </span>
        )}
        {asOf && !short && <AsOf block={asOf} brief={false} />}
      </div>
      {asOf && short && <AsOf block={asOf} brief />}
    </div>
  );
}

const isPriced = ({ tokenCount, unpricedCount }: AddressOverview) => tokenCount > unpricedCount;

interface Figure {
  name: string;
  line: ReceiptLine;
  title: string;
  text: string;
  unit: string;
}

function capacityOf({ capacity }: AddressOverview, native: ShownNative): Figure {
  const { text, exact } = formatAmount(capacity, native.decimals);
  const name = `${native.symbol} in all ${terms.output.many}`;
  const formula = amountFormula(capacity, native.decimals);
  return {
    name,
    line: [name, formula, "the capacity of every one; no asset here has a price"],
    title: exact,
    text,
    unit: terms.hasTokens ? name : native.symbol,
  };
}

function worthOf({ tokenCount, unpricedCount, valueUsd }: AddressOverview): Figure {
  const { text, exact } = formatUsd(BigInt(valueUsd));
  const counted = `valueUsd of ${countOf(tokenCount - unpricedCount, "holding")}: each amount × its latest price as of the block, cut at 8 decimals`;
  const others = unpricedCount > 0 ? `; ${countOf(unpricedCount, "token")} without a price not counted` : "";
  return {
    name: "Estimated value, US dollars",
    line: ["Sum", `$${toUnits(valueUsd, USD_DECIMALS)}`, counted + others],
    title: exact,
    text,
    unit: "",
  };
}

async function Changes({ address, overview, week }: Pick<Props, "address" | "overview" | "week">) {
  const series = await week;
  const { asOf } = overview;
  if (!series || !asOf || !isPriced(overview)) return null;
  const about = { address, asOf, now: BigInt(overview.valueUsd) };
  return (
    <>
      {series.dayAgo && <Change span="24 h" then={series.dayAgo} {...about} />}
      {series.weekAgo && <Change span="7 d" then={series.weekAgo} {...about} />}
    </>
  );
}

interface ChangeProps {
  address: string;
  span: string;
  now: bigint;
  then: SeriesPoint;
  asOf: BlockHeader;
}

function Change({ address, span, now, then, asOf }: ChangeProps) {
  const before = BigInt(then.valueUsd ?? 0);
  const [usdNow, usdThen] = [toUnits(now, USD_DECIMALS), toUnits(before, USD_DECIMALS)];
  // A change from zero has no percentage.
  if (before === 0n) return null;
  const { text, colour } = changeOf(now, before);
  const name = `Change in ${span}`;
  const unpriced =
    then.unpriced > 0 ? `; ${countOf(then.unpriced, "asset")} had no price then and counted nothing` : "";
  return (
    <Sourced
      name={name}
      receipt={{
        lines: [
          ["Value now", `$${usdNow}`],
          ["Value then", `$${usdThen}`, `${blockText(then)}${unpriced}`],
          ["Block then", terms.hashText(then.hash)],
          [name, `(${usdNow} − ${usdThen}) / ${usdThen}`, "changes of holdings and prices together"],
          ...asOfLines(asOf),
        ],
        requests: [holdingsAt(address, asOf), holdingsAt(address, then)],
        link: addressPage(address, { at: asOf.hash }),
      }}
    >
      <span className={`font-medium ${colour}`}>{text}</span> in {span}
    </Sourced>
  );
}
