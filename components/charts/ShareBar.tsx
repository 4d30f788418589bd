import type { ComponentProps, ReactNode } from "react";
import type { CardFacts } from "#components/AssetCard.tsx";
import { AssetItem } from "#components/AssetLabel.tsx";
import { assetColour, REST_COLOUR } from "#components/asset-colour.ts";
import { Link } from "#components/Link.tsx";
import { formatUsd, type Part, type Shares } from "#lib/client/format.ts";
import { percent, share } from "./plot.ts";

export interface Share {
  key: string;
  name: string;
  label: ReactNode;
  colour: string;
  /** An icon that replaces the swatch in the legend. */
  icon?: ReactNode;
  amount: bigint;
  text: string;
  /** The parts that this one sums up. */
  members?: readonly Part[];
  /** The asset, if the part is one. Its card replaces the tooltip. */
  asset?: Omit<CardFacts, "share">;
  /** Parameters of the page's URL that select this part; `""` removes one. */
  filter?: Record<string, string>;
}

export const REST = "rest";

/** A part with an amount in units of 10^-8 US dollars, in the colour of its key. */
export const shareInUsd = (key: string, name: string, amount: bigint, more: Partial<Share> = {}): Share => ({
  key,
  name,
  label: name,
  colour: assetColour(key),
  amount,
  text: formatUsd(amount).text,
  ...more,
});

/** Parts of a whole and, if something is left of it, one for all others. */
export function withOthers(parts: Share[], whole: bigint, textOf: (amount: bigint) => string): Share[] {
  const amount = parts.reduce((left, part) => left - part.amount, whole);
  const [name, text] = ["All others", textOf(amount)];
  return amount > 0n
    ? [...parts, { key: REST, name, label: name, colour: REST_COLOUR, amount, text }]
    : parts;
}

/** Whether a part has at least half a percent. Smaller parts are too short to see and belong to the remainder. */
export const isSeen = (amount: bigint, whole: bigint): boolean => amount > 0n && amount * 200n >= whole;

/** Parts of a whole in a bar, each as long as its share. */
export function ShareBar({ parts }: { parts: readonly Share[] }) {
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n);
  return (
    <div aria-hidden="true" className="flex h-1.5 gap-0.5 forced-color-adjust-none">
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

/** A short bar for a share in a row, on wide windows. */
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

export const Swatch = ({ colour }: { colour: string }) => (
  <span
    aria-hidden="true"
    className="size-2 flex-none rounded-[2px] forced-color-adjust-none"
    style={{ backgroundColor: colour }}
  />
);

/** The shares of all parts of a whole, as text. They are the same as in lists, and the rest is what they leave of 100 %. */
export function sharesOfParts(parts: readonly Share[], shares: Shares): string[] {
  const membersOf = ({ key, amount, members }: Share) => members ?? [[key, amount] as const];
  const named = parts.filter(({ key }) => key !== REST).flatMap(membersOf);
  return parts.map((part) => (part.key === REST ? shares.beside(named) : shares.sum(membersOf(part))) ?? "—");
}

/** An item for a part. That of an asset opens its card, others have the title. */
export function PartItem({
  of: { asset, text },
  share,
  title,
  ...item
}: { of: Share; share: string } & ComponentProps<"li">) {
  if (!asset) return <li title={title} {...item} />;
  return <AssetItem {...asset} share={`${share} · ${text}`} {...item} />;
}

/** Parts of a whole, with their shares, in one line beside a remark. Narrow windows scroll the parts sideways. */
export function ShareLine({
  parts,
  shares,
  title,
  children,
}: {
  parts: readonly Share[];
  shares: Shares;
  title: string;
  children?: ReactNode;
}) {
  const texts = sharesOfParts(parts, shares);
  return (
    <>
      {parts.length > 0 && <ShareBar parts={parts} />}
      <div className="mt-1.5 flex items-center justify-between gap-x-6 text-[13px]/5 max-md:flex-wrap">
        {parts.length > 0 && (
          <ul
            aria-label={title}
            // The strip scrolls, so arrow keys must reach its end.
            tabIndex={0}
            className="scrolls-sideways flex min-w-0 gap-x-5 rounded-md print:flex-wrap"
          >
            {parts.map((part, at) => (
              <PartItem
                key={part.key}
                of={part}
                share={texts[at]!}
                title={part.text}
                className="relative flex max-w-60 flex-none items-center gap-1.5 pointer-coarse:min-h-11"
              >
                {part.icon ?? <Swatch colour={part.colour} />}
                <span className="min-w-0 truncate font-semibold">
                  {part.filter ? (
                    <Link href={part.filter} className="text-text after:absolute after:inset-0">
                      {part.label}
                    </Link>
                  ) : (
                    part.label
                  )}
                </span>
                <span className="sr-only">: {part.text} · </span>
                <span className="whitespace-nowrap text-text-3">{texts[at]}</span>
              </PartItem>
            ))}
          </ul>
        )}
        {children}
      </div>
    </>
  );
}
