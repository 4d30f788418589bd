import type { ReactNode } from "react";
import { AddressLink } from "#components/Address.tsx";
import { AmountOf, AssetAmount, Dollars } from "#components/Amount.tsx";
import { AssetIcon, AssetItem } from "#components/AssetLabel.tsx";
import { coloursFor } from "#components/asset-colour.ts";
import { Cut } from "#components/Cut.tsx";
import { largest, share } from "#components/charts/plot.ts";
import { WarningIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { type AssetNames, displaySymbol, type Flag, type ListedNames } from "#lib/client/chain-text.ts";
import { countOf, cutTransactionHash, formatCount, formatUsd, unspentText } from "#lib/client/format.ts";
import { outPointPath, splitOutPoint, transactionPath } from "#lib/client/paths.ts";
import { ADDRESS, MORE_ADDRESSES } from "#lib/client/wallet.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { terms } from "#terms";
import { carriedBy, type Measure, type Node, nodesOf, type Ribbon, ribbonsOf, sizeOf } from "./flows.ts";

/** The most inputs, or outputs, to draw one by one. If there are more, this many addresses are drawn instead. */
const MAX_DRAWN = 40;
/** A drawing with more rows is cut within the last of these, so that the lists below it are in sight. */
const MAX_ROWS = 5;
/** Pixels of a row, and of the widest band within it. */
const ROW = 72;
const BAND = 52;
/** Units across the drawing, which is stretched to its box. */
const WIDTH = 100;

interface Props {
  inputs: readonly OutputEntry[];
  outputs: readonly OutputEntry[];
  /** Numbers of all inputs and outputs, of which the first ones are given. */
  counts: { inputs: number; outputs: number };
  /** Whether all inputs, and all outputs, are given with their amounts. */
  isKnown: { inputs: boolean; outputs: boolean };
  measure: Measure;
  /** The asset that is measured; undefined for the value of all. */
  measured: TokenInfo | undefined;
  native: AssetNames;
  flagsOf: (asset: ListedNames) => readonly Flag[];
  /** Whether a long drawing is shown to its end. */
  isWhole: boolean;
}

const bySize = (one: { size: bigint }, other: { size: bigint }): number => Number(other.size - one.size);

/**
 * Inputs on the left, outputs on the right, and between them ribbons as wide as what they carry. Ribbons of minted and burnt
 * assets fade towards the middle.
 */
export function Drawing(props: Props) {
  const { inputs, outputs, counts, isKnown, measure, measured, native, flagsOf, isWhole } = props;
  const nativeId = native.id;
  const joined = (entries: Props["inputs"]) => nodesOf(entries, MAX_DRAWN, measure, nativeId);
  const [left, right] = [joined(inputs), joined(outputs)];
  const ribbons = ribbonsOf(left.nodes, right.nodes, measure, nativeId, isKnown);
  const sizeOfNode = ({ entries }: Node) => sizeOf(entries, measure, nativeId);
  const most = largest([...left.nodes, ...right.nodes].map(sizeOfNode));
  const rows = Math.min(MAX_DRAWN, Math.max(left.nodes.length, right.nodes.length));
  // Assets without a ribbon come last.
  const drawn = [
    ...ribbons.toSorted(bySize).map(({ assetId }) => assetId),
    ...[...outputs, ...inputs].map(({ token }) => token),
  ];
  const colourOf = coloursFor(drawn.filter((id) => id !== ""));
  const sizeText = (size: bigint) =>
    measured ? <AmountOf amount={size} asset={measured} /> : formatUsd(size).text;
  const [before, after] = [carriedBy(inputs, nativeId), carriedBy(outputs, nativeId)];
  const isUncounted = !measured && isKnown.inputs && isKnown.outputs && before !== after;
  const side = (name: "input" | "output", { nodes, isJoined }: ReturnType<typeof nodesOf>, count: number) => {
    const read = name === "input" ? inputs.length : outputs.length;
    const whole = nodes.map(sizeOfNode).reduce((sum, one) => sum + one, 0n);
    return (
      <section aria-label={name === "input" ? "Inputs drawn" : "Outputs drawn"} className="min-w-0">
        <h2 className="min-h-8 text-text-2 md:h-8">
          <span className="font-medium text-text">{countOf(count, name)}</span>
          {whole > 0n && <> · {sizeText(whole)}</>}
          {read < count && ` in the first ${formatCount(read)}`}
          {isJoined && `, by ${countOf(nodes.length, ADDRESS)}`}
        </h2>
        <ul>
          {nodes.slice(0, MAX_DRAWN).map((node) => (
            <NodeRow
              key={node.entries[0]!.outPoint}
              node={node}
              isOutput={name === "output"}
              flagsOf={flagsOf}
              colourOf={colourOf}
              isOne={!isJoined}
              isMeasured={!measured || measured.id === node.entries[0]!.token}
            >
              {sizeOfNode(node) > 0n && sizeText(sizeOfNode(node))}
            </NodeRow>
          ))}
        </ul>
        {nodes.length > MAX_DRAWN && (
          <p className="border-t py-2 text-text-2">and {countOf(nodes.length - MAX_DRAWN, MORE_ADDRESSES)}</p>
        )}
      </section>
    );
  };
  const paths = placed(ribbons, (size) => share(size, most) * BAND);
  const isLong = rows > MAX_ROWS;
  // Browsers scroll the box to a row in the part that is cut off, when it is found, focused or linked to.
  const cut =
    isLong && !isWhole ? "md:h-93 md:overflow-hidden md:mask-b-from-85% print:h-auto print:mask-none" : "";
  return (
    <>
      <div
        className={`mt-3 grid gap-x-0 gap-y-6 md:grid-cols-[minmax(0,5fr)_minmax(64px,3fr)_minmax(0,5fr)] print:grid-cols-1 ${cut}`}
      >
        {side("input", left, counts.inputs)}
        {/* Printed rows have whole addresses and hashes, and so no common height. */}
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${WIDTH} ${rows * ROW}`}
          preserveAspectRatio="none"
          className="mt-8 w-full forced-color-adjust-none max-md:hidden print:hidden"
          style={{ height: rows * ROW }}
        >
          <defs>
            <Fade id="minted" from="0" to="1" />
            <Fade id="burnt" from="1" to="0" />
          </defs>
          {["", "minted", "burnt"].map((fade) => (
            <g key={fade} {...(fade && { mask: `url(#${fade})` })}>
              {paths
                .filter((one) => one.fade === fade)
                .map(({ key, path, assetId }) => (
                  <path key={key} d={path} fill={colourOf(assetId)} opacity="0.34" />
                ))}
            </g>
          ))}
        </svg>
        {side("output", right, counts.outputs)}
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 max-md:hidden print:hidden">
        {isLong && (
          <Link
            href={{ drawing: isWhole ? "" : "whole" }}
            keepsFragment
            className="min-h-6 content-center print:hidden"
          >
            {isWhole ? "Show less" : `Show all ${rows} rows`}
          </Link>
        )}
        <p className="text-text-3 text-xs">
          A transaction does not say which input pays which output: ribbons join amounts of an asset in order.
          {isUncounted && (
            <>
              {" "}
              {native.symbol} that carries tokens has no value here:{" "}
              <AmountOf amount={before} asset={native} /> in inputs,{" "}
              <AmountOf amount={after} asset={native} /> in outputs.
            </>
          )}
        </p>
      </div>
    </>
  );
}

/** A mask over the middle of the drawing, between two opacities. */
function Fade({ id, from, to }: { id: string; from: string; to: string }) {
  const middle = `${id}-middle`;
  return (
    <>
      <linearGradient id={middle} x1="0.35" x2="0.65">
        <stop offset="0" stopColor="white" stopOpacity={from} />
        <stop offset="1" stopColor="white" stopOpacity={to} />
      </linearGradient>
      <mask id={id} maskUnits="userSpaceOnUse" x="0" y="0" width="100%" height="100%">
        <rect width="100%" height="100%" fill={`url(#${middle})`} />
      </mask>
    </>
  );
}

/** The outlines of the ribbons. At each end they lie below one another, in the middle of the row. */
function placed(ribbons: readonly Ribbon[], thicknessOf: (size: bigint) => number) {
  // Rows beyond those that are drawn have no place.
  const drawn = ribbons.filter(({ from, to }) => (from ?? 0) < MAX_DRAWN && (to ?? 0) < MAX_DRAWN);
  const left = stacks(drawn, ({ from }) => from, thicknessOf);
  const right = stacks(drawn, ({ to }) => to, thicknessOf);
  return drawn.map((ribbon) => {
    const { from, to, assetId } = ribbon;
    // A ribbon with one end goes straight across.
    const [start, end] = [left.get(ribbon) ?? right.get(ribbon)!, right.get(ribbon) ?? left.get(ribbon)!];
    const middle = WIDTH / 2;
    const upper = `M0 ${start.top}C${middle} ${start.top} ${middle} ${end.top} ${WIDTH} ${end.top}`;
    const lower = `V${end.bottom}C${middle} ${end.bottom} ${middle} ${start.bottom} 0 ${start.bottom}Z`;
    const fade = from === null ? "minted" : to === null ? "burnt" : "";
    return { key: `${from} ${to} ${assetId}`, path: upper + lower, assetId, fade };
  });
}

/** A ribbon is at least this thick, if those beside it leave room. */
const LEAST_THICK = 2;

/** Where the ribbons end on one side. Many thin ones in a row share its height. */
function stacks(
  ribbons: readonly Ribbon[],
  rowOf: (ribbon: Ribbon) => number | null,
  thicknessOf: (size: bigint) => number,
) {
  const ends = new Map<Ribbon, { top: number; bottom: number }>();
  for (const [row, stacked] of Map.groupBy(ribbons, rowOf)) {
    if (row === null) continue;
    const thick = stacked.map(({ size }) => Math.max(thicknessOf(size), LEAST_THICK));
    const total = thick.reduce((sum, one) => sum + one, 0);
    const scale = Math.min(1, (ROW - 2 * LEAST_THICK) / total);
    let top = row * ROW + (ROW - total * scale) / 2;
    for (const [at, ribbon] of stacked.entries()) {
      const bottom = top + thick[at]! * scale;
      ends.set(ribbon, { top, bottom });
      top = bottom;
    }
  }
  return ends;
}

interface RowProps {
  node: Node;
  isOutput: boolean;
  flagsOf: Props["flagsOf"];
  colourOf: (assetId: string) => string;
  /** Whether the node is an entry, rather than all entries of an address. */
  isOne: boolean;
  /** Whether what the entry holds is what the drawing measures. */
  isMeasured: boolean;
  /** The size of the node; none if that is zero. */
  children: ReactNode;
}

function NodeRow(props: RowProps) {
  const { node, isOutput, flagsOf, colourOf, isOne, isMeasured, children } = props;
  const { address, entries } = node;
  const [entry] = entries;
  if (!entry) return null;
  const [hash, index] = splitOutPoint(entry.outPoint);
  return (
    <li
      id={isOutput && isOne ? index : undefined}
      className="flex h-18 scroll-mt-24 items-center justify-between gap-3 border-t px-2 aria-[current]:bg-accent-bg max-md:px-0 print:h-auto print:min-h-18 print:break-inside-avoid"
    >
      <div className="min-w-0">
        <p className="flex items-center gap-2 truncate">
          {isOutput && isOne && <span className="text-text-3">#{index}</span>}
          {address === "" ? (
            <span className="text-text-3">not indexed</span>
          ) : (
            <AddressLink address={address} narrows className="inline-flex min-h-6 min-w-0 items-center" />
          )}
        </p>
        <p className="truncate text-text-2">
          {!isOne && countOf(entries.length, isOutput ? "output" : "input")}
          {isOne && !isOutput && (
            <Link href={outPointPath(entry.outPoint)} className="inline-block min-h-6 text-text-2">
              {terms.output.one} {index} of <Cut parts={cutTransactionHash(hash)} narrows />
            </Link>
          )}
          {isOne && isOutput && <Spent entry={entry} />}
        </p>
      </div>
      <div className="min-w-0 flex-none text-end">
        {!(isOne && isMeasured) && <div className="font-medium">{children}</div>}
        {isOne && entry.token !== "" && (
          <Held
            entry={entry}
            flags={flagsOf(entry.tokenInfo)}
            colour={colourOf(entry.token)}
            isMeasured={isMeasured}
          />
        )}
      </div>
    </li>
  );
}

function Spent({ entry: { spent, until } }: { entry: OutputEntry }) {
  if (!spent) return unspentText(until !== "never");
  return (
    <Link href={transactionPath(spent.transaction)} className="inline-block min-h-6">
      spent in block {formatCount(spent.height)}
    </Link>
  );
}

interface HeldProps {
  entry: OutputEntry;
  flags: readonly Flag[];
  colour: string;
  isMeasured: boolean;
}

/** Shows what an output holds. It is paler and has no value if the drawing measures something else. */
function Held({ entry, flags, colour, isMeasured }: HeldProps) {
  const { amount, tokenInfo, valueUsd, kind, token } = entry;
  return (
    <>
      <div
        className={`flex items-center justify-end gap-2 ${isMeasured ? "font-medium text-text" : "text-text-2"}`}
      >
        <AssetIcon asset={tokenInfo} flags={flags} swatch={colour} />
        <AssetAmount amount={amount} asset={tokenInfo} kind={kind} />
        <AssetItem as="span" className="flex" asset={tokenInfo} flags={flags}>
          <Link
            href={`/assets/${token}`}
            className="inline-block max-w-[12ch] truncate text-inherit leading-6"
          >
            <bdi>{displaySymbol(tokenInfo)}</bdi>
          </Link>
        </AssetItem>
        {flags.length > 0 && (
          <span className="text-warn" title={flags.map(({ reason }) => reason).join(" ")}>
            <WarningIcon aria-label={flags[0]!.label} />
          </span>
        )}
      </div>
      {isMeasured && valueUsd !== undefined && valueUsd !== null && (
        <p className="text-text-2">
          <Dollars text={valueUsd} of={amount} />
        </p>
      )}
    </>
  );
}
