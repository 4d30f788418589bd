import type { ReactNode } from "react";
import { assetColour } from "#components/asset-colour.ts";
import { formatUsd, shareOf } from "#lib/client/format.ts";
import { percent, share } from "./plot.ts";

export interface Share {
  key: string;
  /** A name in plain text, for the tooltip. */
  name: string;
  label: ReactNode;
  colour: string;
  /** An icon in this colour stands for it in the legend. */
  icon?: ReactNode;
  /** Exact; what parts are compared by. */
  amount: bigint;
  /** The amount in words. */
  text: string;
  /** The share in words. */
  share: string;
  /** Parameters of the page's URL that choose this part; `""` removes one. */
  filter?: Record<string, string>;
}

/** The key of what is left of a whole. */
export const REST = "rest";

/** A part worth so much of the whole, both in units of 10^-8 US dollars, in the colour of its key. */
export const shareInUsd = (
  key: string,
  name: string,
  amount: bigint,
  whole: bigint,
  more: Partial<Share> = {},
): Share => ({
  ...{ key, name, label: name, colour: assetColour(key), amount },
  ...{ text: formatUsd(amount).text, share: shareOf(amount, whole), ...more },
});

/** A part of nothing, or of less than half a percent, is too short to be seen: it is drawn with the rest. */
const SEEN_OF = 200n;

export const isSeen = (amount: bigint, whole: bigint): boolean => amount > 0n && amount * SEEN_OF >= whole;

/** Parts of a whole, each as long as its share. */
export function ShareBar({ parts, slim = false }: { parts: readonly Share[]; slim?: boolean }) {
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n);
  return (
    <div aria-hidden="true" className={`flex gap-0.5 forced-color-adjust-none ${slim ? "h-1.5" : "h-2.5"}`}>
      {parts.map(({ key, name, text, colour, amount }) => (
        <span
          key={key}
          title={`${name}: ${text}`}
          className="min-w-0.5 rounded-[3px]"
          style={{ backgroundColor: colour, flex: `${percent(share(amount, whole)).slice(0, -1)} 0 0` }}
        />
      ))}
    </div>
  );
}

/** A share in a row, where the window has room for it: its text stands beside it. */
export function RowShare({ of, colour }: { of: number; colour: string }) {
  return (
    <span aria-hidden="true" className="h-1.5 w-20 overflow-hidden rounded-full bg-sunken max-lg:hidden">
      <span
        className="block h-full rounded-full forced-color-adjust-none"
        style={{ width: percent(of), backgroundColor: colour }}
      />
    </span>
  );
}

/** Stands for a colour in a legend. */
export const Swatch = ({ colour }: { colour: string }) => (
  <span
    aria-hidden="true"
    className="size-2 flex-none rounded-[2px] forced-color-adjust-none"
    style={{ backgroundColor: colour }}
  />
);

/** A share bar, and below it what its parts are. */
export function ShareLegend({ parts, title }: { parts: readonly Share[]; title: string }) {
  return (
    <div>
      <ShareBar parts={parts} />
      <ul
        aria-label={title}
        className="mt-3 grid grid-cols-2 gap-x-4 sm:gap-x-6 gap-y-3 sm:grid-cols-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none"
      >
        {parts.map(({ key, label, colour, icon, text, share }) => (
          <li key={key} className="min-w-0">
            <span className="flex min-w-0 items-center gap-2">
              {icon ?? <Swatch colour={colour} />}
              <span className="min-w-0 truncate font-semibold">{label}</span>
              <span className="whitespace-nowrap text-text-3">{share}</span>
            </span>
            <span className="block truncate text-text-2" title={text}>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
