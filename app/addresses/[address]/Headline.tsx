import { Suspense } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { AddressIcon, DownIcon, UpIcon } from "#components/icons.tsx";
import { Sourced } from "#components/Sourced.tsx";
import {
  countOf,
  cutAddress,
  formatAmount,
  formatCount,
  formatUsd,
  formatUtc,
  shareOf,
} from "#lib/client/format.ts";
import { amountFormula, type ReceiptLine } from "#lib/client/receipts.ts";
import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { AddressOverview } from "#lib/questions/address-overview.ts";
import type { AddressSeries, SeriesPoint } from "#lib/questions/address-series.ts";
import type { BlockHeader } from "#lib/store/store.ts";
import { terms } from "#terms";
import type { ShownNative } from "./columns.tsx";

interface Props {
  address: string;
  lockName: string | null;
  overview: AddressOverview;
  native: ShownNative;
  /** The last week; null if it could not be read. */
  week: Promise<AddressSeries | null>;
}

const asOfLines = (block: BlockHeader | null): ReceiptLine[] =>
  block
    ? [["As of block", block.hash, `block ${formatCount(block.height)}, ${formatUtc(block.timestamp)}`]]
    : [];

const holdingsAt = (address: string, { hash }: { hash: string }) =>
  `/v0/addresses/${address}/holdings?at=${hash}`;

/** What the address is worth, or if nothing has a price, the capacity of all its outputs: those of tokens count too. */
export function Headline({ address, lockName, overview, native, week }: Props) {
  const { asOf } = overview;
  const link = `/addresses/${address}${asOf ? `?at=${asOf.hash}` : ""}`;
  return (
    <div className="min-w-0 self-end">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-text-2">
        <AddressIcon />
        <Cut parts={cutAddress(address)} title={address} />
        <CopyButton text={address} label="address" />
        <span>{lockName ?? "unknown lock"}</span>
      </p>
      <Value address={address} overview={overview} native={native} link={link} />
      <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-text-2">
        <Suspense fallback={<span className="w-28" />}>
          <Changes address={address} overview={overview} week={week} />
        </Suspense>
        {!terms.hasTokens && overview.unpricedCount === 0 && (
          <span>
            {formatAmount(overview.capacity, native.decimals).text} {native.symbol}
          </span>
        )}
        {asOf && <span title={formatUtc(asOf.timestamp)}>as of block {formatCount(asOf.height)}</span>}
      </p>
    </div>
  );
}

function Value({
  address,
  overview,
  native,
  link,
}: Pick<Props, "address" | "overview" | "native"> & { link: string }) {
  const { tokenCount, unpricedCount, valueUsd, asOf, capacity } = overview;
  const priced = tokenCount - unpricedCount;
  const requests = asOf ? [holdingsAt(address, asOf)] : [];
  if (priced === 0) {
    const { whole, fraction, exact } = formatAmount(capacity, native.decimals);
    const name = `${native.symbol} in all ${terms.output.many}`;
    return (
      <Sourced
        name={name}
        className="font-bold text-3xl max-sm:text-2xl"
        receipt={{
          lines: [
            [
              name,
              amountFormula(capacity, native.decimals),
              `the capacity of every one; no asset here has a price`,
            ],
            ...asOfLines(asOf),
          ],
          requests,
          link,
        }}
      >
        <span title={exact}>
          {whole}
          <span className="text-text-3 text-xl">
            {fraction} {terms.hasTokens ? name : native.symbol}
          </span>
        </span>
      </Sourced>
    );
  }
  const { text, exact } = formatUsd(BigInt(valueUsd));
  const [whole, cents] = text.split(".");
  return (
    <Sourced
      name="Estimated value, US dollars"
      className="font-bold text-3xl max-sm:text-2xl"
      receipt={{
        lines: [
          [
            "Sum",
            `$${toUnits(valueUsd, USD_DECIMALS)}`,
            `valueUsd of ${countOf(priced, "holding")}: each amount × its latest price as of the block, cut at 8 decimals${unpricedCount > 0 ? `; ${countOf(unpricedCount, "token")} without a price not counted` : ""}`,
          ],
          ...asOfLines(asOf),
        ],
        requests,
        link,
      }}
    >
      <span title={exact}>
        {whole}
        {cents && <span className="text-text-3 text-xl">.{cents}</span>}
      </span>
    </Sourced>
  );
}

/** How the value changed over a day and a week. */
async function Changes({ address, overview, week }: Pick<Props, "address" | "overview" | "week">) {
  const series = await week;
  if (!series || overview.tokenCount === overview.unpricedCount) return null;
  const now = BigInt(overview.valueUsd);
  const { asOf } = overview;
  return [
    ["24 h", series.dayAgo],
    ["7 d", series.weekAgo],
  ].map(([span, then]) =>
    then && asOf ? (
      <Change
        key={String(span)}
        span={String(span)}
        now={now}
        then={then as SeriesPoint}
        asOf={asOf}
        address={address}
      />
    ) : null,
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
  // From nothing there is no percentage.
  if (before === 0n) return null;
  const difference = now - before;
  const size = difference < 0n ? -difference : difference;
  const words = difference === 0n ? "unchanged" : shareOf(size, before);
  const name = `Change in ${span}`;
  const unpriced =
    then.unpriced > 0 ? `; ${countOf(then.unpriced, "asset")} had no price then and counted nothing` : "";
  return (
    <Sourced
      name={name}
      receipt={{
        lines: [
          ["Value now", `$${toUnits(now, USD_DECIMALS)}`],
          [
            "Value then",
            `$${toUnits(before, USD_DECIMALS)}`,
            `block ${formatCount(then.height)}, ${formatUtc(then.timestamp)}${unpriced}`,
          ],
          ["Block then", then.hash],
          [
            name,
            `(${toUnits(now, USD_DECIMALS)} − ${toUnits(before, USD_DECIMALS)}) / ${toUnits(before, USD_DECIMALS)}`,
            "holdings and prices both moved",
          ],
          ...asOfLines(asOf),
        ],
        requests: [holdingsAt(address, asOf), holdingsAt(address, then)],
        link: `/addresses/${address}?at=${asOf.hash}`,
      }}
    >
      <span
        className={`inline-flex items-baseline gap-1 font-medium [&>svg]:self-center ${difference < 0n ? "text-bad" : difference > 0n ? "text-good" : ""}`}
      >
        {difference < 0n ? <DownIcon aria-label="down" /> : difference > 0n && <UpIcon aria-label="up" />}
        {words}
      </span>{" "}
      in {span}
    </Sourced>
  );
}
