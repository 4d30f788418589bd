"use client";

import type { ReactNode } from "react";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { coloursFor } from "#components/asset-colour.ts";
import { BlockForm } from "#components/BlockForm.tsx";
import { Cut } from "#components/Cut.tsx";
import { differenceFigure, FigureTable, NotedFigure } from "#components/FigureTable.tsx";
import { Link } from "#components/Link.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { FoldedReceipt } from "#components/Receipt.tsx";
import { Time } from "#components/Time.tsx";
import { markedAmount } from "#lib/client/chain-text.ts";
import { cutHash, formatCount, formatDifference, formatUsd } from "#lib/client/format.ts";
import { comparedLines, type Source } from "#lib/client/receipts.ts";
import {
  type ComparedAsset,
  type ComparedKind,
  difference,
  differenceUsd,
  KINDS,
  type Moved,
  PARENT,
} from "./comparison.ts";
import { type AssetVolume, shareOfAsset } from "./list.ts";
import type { Comparison } from "./read-comparison.ts";

interface Props {
  block: Source["block"];
  native: { id: string; symbol: string } | null;
  /** The assets with the most volume, in order. */
  largest: readonly AssetVolume[];
  /** Units of 10^-8 US dollars. */
  volumeUsd: string;
  /** The other block: its number or hash, or `PARENT`. */
  named: string;
  /** A sentence if there is nothing to compare. */
  comparison: Comparison | string;
}

export function ComparisonPanel({ named, comparison, ...about }: Props) {
  return (
    <section aria-label="Comparison" id="results">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4 print:hidden">
        <BlockForm
          fields={[{ parameter: "compare", value: named === PARENT ? "" : named }]}
          action="Compare"
        />
        {named !== PARENT && (
          <Link href={{ compare: PARENT }} className="truncate">
            Previous block
          </Link>
        )}
      </div>
      {typeof comparison === "string" ? (
        <p role="status" className="py-2">
          {comparison}
        </p>
      ) : (
        <Groups {...about} comparison={comparison} />
      )}
    </section>
  );
}

const WORDS: Record<ComparedKind, { counted: string; title: string }> = {
  added: { counted: "new", title: "New: not moved in the other block" },
  gone: { counted: "gone", title: "Gone: moved in the other block only" },
  changed: { counted: "changed", title: "Changed: moved in both" },
};

/** Groups with more rows are closed at first. */
const OPEN_ROWS = 10;

type GroupsProps = Omit<Props, "named" | "comparison"> & { comparison: Comparison };

function Groups({ block, native, largest, volumeUsd, comparison }: GroupsProps) {
  const { height } = block;
  const { other, groups, unchanged, namesakes } = comparison;
  const flagsOf = useFlags({ native, ...namesakes });
  const listed = new Set(namesakes.listed.map(({ id }) => id));
  const colourOf = coloursFor(largest.map(({ id }) => id));
  const shareOf = shareOfAsset(largest, volumeUsd);
  const counts = KINDS.map((kind) => `${formatCount(groups[kind].total)} ${WORDS[kind].counted}`);
  const heads = ["Asset", `Block ${formatCount(other.height)}`, `Block ${formatCount(height)}`, "Difference"];
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2">
        <h2 className="font-semibold text-base">
          Compared with{" "}
          <Link href={`/blocks/${other.hash}`} className="underline">
            block {formatCount(other.height)}
          </Link>{" "}
          <Cut parts={cutHash(other.hash)} className="text-text-2" />
        </h2>
        <span className="text-text-2">
          <Time time={other.timestamp} />
        </span>
        <p className="font-medium">
          {counts.join(" · ")} · {formatCount(unchanged)} unchanged
        </p>
      </div>
      {KINDS.map((kind) => {
        const { counted, title } = WORDS[kind];
        const { total, rows } = groups[kind];
        if (total === 0) return null;
        return (
          <details key={kind} className="border-t" open={rows.length <= OPEN_ROWS}>
            <summary className="py-3 font-medium">
              {title} ({formatCount(total)})
            </summary>
            <FigureTable
              caption={`Assets: ${counted}`}
              heads={heads}
              rows={rows.map((row) => ({
                key: row.asset.id,
                label: (
                  <AssetLabel
                    asset={{ ...row.asset, public: listed.has(row.asset.id) }}
                    flags={flagsOf(row.asset)}
                    colour={colourOf(row.asset.id)}
                    share={shareOf(row.asset.id)}
                  />
                ),
                figures: figuresOf(row),
              }))}
            />
            {rows.length < total && (
              <p className="border-t py-2 text-text-2">
                Only the {rows.length} with the largest difference in value are shown.
              </p>
            )}
          </details>
        );
      })}
      <FoldedReceipt
        className="border-t py-2"
        lines={[
          ["Amounts", "amount / 10^decimals", "gross amount moved in the block"],
          ["Difference", `block ${height} − block ${other.height}`, "of the raw integers; values alike"],
          ...comparedLines([other, block]),
        ]}
        requests={[other, block].map(({ hash }) => `/v0/blocks/${hash}/asset-changes`)}
        link={`/blocks/${block.hash}?${new URLSearchParams({ compare: other.hash })}`}
      />
    </>
  );
}

function figuresOf(row: ComparedAsset): ReactNode[] {
  const format = (size: bigint | string) => markedAmount(size, row.asset, row.asset.standard);
  const usd = (units: bigint) => formatUsd(units).text;
  const figure = (moved: Moved | null) =>
    moved && (
      <NotedFigure
        {...format(moved.amount)}
        note={moved.amountUsd === "0" ? undefined : usd(BigInt(moved.amountUsd))}
      />
    );
  const dollars = differenceUsd(row);
  return [
    figure(row.there),
    figure(row.here),
    differenceFigure(difference(row), format, dollars === 0n ? undefined : formatDifference(dollars, usd)),
  ];
}
