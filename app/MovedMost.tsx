"use client";

import { useId, useState } from "react";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { changeOf } from "#components/change.ts";
import { Sparkline } from "#components/charts/Sparkline.tsx";
import { Link } from "#components/Link.tsx";
import { type FlagsOf, useFlags } from "#components/list/flagged.tsx";
import { useWhenUnread } from "#components/reading.ts";
import { POPOVER } from "#components/ui/Popover.tsx";
import { namesakesOf } from "#lib/client/chain-text.ts";
import { formatUsd } from "#lib/client/format.ts";
import type { LatestBlocks, Moved, Period } from "#lib/client/home.ts";
import { movedMost } from "#lib/client/queries.ts";
import { terms } from "#terms";
import { leaderColours, usePulse } from "./Pulse.tsx";

const LIST_ID = "moved-most";

interface Props {
  period: Period;
  first: Moved;
  /** The blocks of the chart on the same page, whose colours the list has. */
  blocks: LatestBlocks;
}

/** A live list of the assets with the highest volume in a period up to the tip. */
export function MovedMost({ period, first, blocks }: Props) {
  const { data: newest = first } = useAtTip(movedMost(period, first, useTip()));
  const colourOf = leaderColours(usePulse(blocks).blocks);
  const [{ rows, after, tip, isWhole }] = useWhenUnread(LIST_ID, newest);
  const flagsOf = useFlags({ native: terms.native, ...namesakesOf(rows.map(({ asset }) => asset)) });
  return (
    <>
      <ol id={LIST_ID} className="divide-y">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows stay in place when the order changes
          <MovedRow key={at} row={row} flagsOf={flagsOf} colour={colourOf(row.asset.id)} />
        ))}
      </ol>
      {rows.length === 0 && <p className="py-3 text-text-2">No asset that moved has a price.</p>}
      <p className="mt-2 text-text-3 text-xs">
        <Link
          className="underline"
          href={`/blocks/range?${after < 0 ? "" : `from=${after}&`}to=${tip.height}`}
        >
          All assets of these blocks
        </Link>
        {!isWhole && " · Some blocks of this period are not indexed."}
      </p>
    </>
  );
}

interface RowProps {
  row: Moved["rows"][number];
  flagsOf: FlagsOf;
  colour: string;
}

function MovedRow({ row, flagsOf, colour: assetColour }: RowProps) {
  const { asset, points } = row;
  const volume = BigInt(row.volumeUsd);
  const before = row.before === null ? null : BigInt(row.before);
  const { text, exact } = formatUsd(volume);
  const change = before === null ? null : changeOf(volume, before);
  const colour = change?.colour ?? "text-text-3";
  return (
    <li className="grid h-16 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 sm:h-11 sm:grid-cols-[minmax(0,1fr)_72px_136px_76px]">
      <AssetLabel asset={asset} flags={flagsOf(asset)} colour={assetColour} />
      <span className={`max-sm:order-3 ${colour}`}>
        <Sparkline amounts={points.map(BigInt)} />
      </span>
      <span className="text-right font-semibold" title={exact}>
        {text}
      </span>
      <span className="text-right max-sm:order-4">
        {before !== null && change && <Change {...change} now={text} before={formatUsd(before).text} />}
      </span>
    </li>
  );
}

/** A change with the amounts of both periods, which hovering and focusing it show. Escape hides them. */
function Change(props: { text: string; colour: string; now: string; before: string }) {
  const { text, colour, now, before } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [open, close] = [() => setOpen(true), () => setOpen(false)];
  return (
    <span className="relative inline-block" onPointerEnter={open} onPointerLeave={close}>
      <button
        type="button"
        aria-describedby={id}
        className={`min-h-6 cursor-help whitespace-nowrap rounded-md max-sm:-my-2.5 max-sm:min-h-11 ${colour}`}
        onFocus={open}
        onBlur={close}
        onKeyDown={({ key }) => key === "Escape" && close()}
      >
        {text}
      </button>
      <span
        id={id}
        role="tooltip"
        hidden={!isOpen}
        className={`absolute end-0 bottom-full z-10 mb-1 w-max px-3 py-2 text-start ${POPOVER}`}
      >
        {now} in this period
        <br />
        {before} in the one before
      </span>
    </span>
  );
}
