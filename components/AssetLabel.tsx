"use client";

import {
  type ComponentProps,
  type FocusEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import { withBase } from "#lib/client/base-path.ts";
import {
  type AssetNames,
  displayName,
  displaySymbol,
  type Flag,
  isVouchedFor,
} from "#lib/client/chain-text.ts";
import { cutId } from "#lib/client/format.ts";
import { identicon } from "#lib/client/identicon.ts";
import { terms } from "#terms";
import type { CardFacts } from "./AssetCard.tsx";
import { assetColour } from "./asset-colour.ts";
import { Cut } from "./Cut.tsx";
import { ListedIcon, WarningIcon } from "./icons.tsx";
import { Link } from "./Link.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { useRowTabIndex } from "./table/row-context.ts";
import { Chip } from "./ui/Chip.tsx";

const AssetCard = lazyPart(null, () => import("./AssetCard.tsx"));
/** The pointer must rest on a label for this long before its card opens. */
const RESTING_MS = 400;

interface MarkProps {
  id: string;
  size: number;
  colour: string;
}

const SIZE = 24;
const SMALL = 16;

/** The chain's mark, or a pattern for other assets. It is decorative: the text beside it names the asset. */
const Mark = memo(function Mark({ id, size, colour }: MarkProps) {
  const isNative = id === terms.native.id;
  const [middle, radius] = isNative ? [10, 12] : [2.5, 5];
  const start = middle - radius;
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox={`${start} ${start} ${2 * radius} ${2 * radius}`}
      className="shrink-0 overflow-visible"
    >
      <circle cx={middle} cy={middle} r={radius} fill={colour} />
      {isNative ? (
        <path
          d={terms.nativeMark}
          fill="none"
          stroke="var(--color-bg)"
          strokeWidth="1.6"
          strokeLinejoin="round"
          strokeLinecap="round"
        />
      ) : (
        // One element for all squares, since a long list contains many patterns.
        <path
          d={identicon(id)
            .map(([x, y]) => `M${x} ${y}h1.02v1.02h-1.02z`)
            .join("")}
          fill="var(--color-bg)"
        />
      )}
    </svg>
  );
});

/**
 * The asset's icon. It is a pattern or mark if there is no icon, if the asset has flags, or if loading fails. In a legend it
 * is small and has the colour of its `swatch`.
 */
export function AssetIcon({
  asset: { id, icon },
  flags,
  swatch,
  colour = swatch,
}: Pick<Props, "flags" | "colour"> & { asset: { id: string; icon?: string }; swatch?: string }) {
  const [failed, setFailed] = useState("");
  // The API's `icon` may name another origin, but pages load icons only from their own.
  const source = icon ? withBase(`/asset-icons/${encodeURIComponent(id)}`) : "";
  const size = swatch ? SMALL : SIZE;
  if (source === "" || source === failed || flags.length > 0) {
    return <Mark id={id} size={size} colour={colour ?? assetColour(id)} />;
  }
  return (
    // biome-ignore lint/performance/noImgElement: 24 pixels of a file of ours need no optimizer
    <img
      src={source}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
      className={`shrink-0 rounded-full object-contain ${swatch ? "size-4 border-2 forced-color-adjust-none" : "size-6"}`}
      style={{ borderColor: swatch }}
      // The image may have failed before this code ran.
      ref={(image) => {
        if (image?.complete && image.naturalWidth === 0) setFailed(source);
      }}
      onError={() => setFailed(source)}
    />
  );
}

interface Props extends CardFacts {
  /** `public` if the operator's registry lists the asset. */
  asset: AssetNames & { icon?: string; public?: boolean };
  /** The colour of its pattern or mark, where a drawing on the page gives it another one than its own. */
  colour?: string | undefined;
  badge?: ReactNode;
  /** Text to mark in the symbol and the name. */
  highlight?: string;
  /** Turns the symbol into a control. Only the name and the id are links then. */
  wrapSymbol?: (symbol: ReactNode) => ReactNode;
  /** Links to the asset's page, and opens its card. False inside another link. */
  linked?: boolean;
  /** Opens the card. False for a collection, which has none. */
  opens?: boolean;
}

/**
 * The symbol and name that an asset claims. Assets in the registry have a mark, others their id. Warns if the names are
 * suspect.
 */
export function AssetLabel(props: Props) {
  const { asset, flags, colour, badge, highlight = "", wrapSymbol, linked = true, opens = linked } = props;
  const { card, events } = useCard(props);
  const symbol = displaySymbol(asset);
  const name = displayName(asset);
  const isListed = isVouchedFor(asset);
  const shown = (
    <bdi className="block max-w-[min(18ch,100%)] shrink-0 truncate font-semibold">
      <Highlighted text={symbol} part={highlight} />
    </bdi>
  );
  const named = asset.symbol && asset.name && name !== symbol && (
    <bdi className="block truncate text-text-3">
      <Highlighted text={name} part={highlight} />
    </bdi>
  );
  const lead = (children: ReactNode) => (linked ? <AssetLink id={asset.id}>{children}</AssetLink> : children);
  const id = <Cut parts={cutId(asset.id)} className="shrink-0 text-text-3 text-xs print:shrink" />;
  return (
    <span className="flex min-w-0 items-center gap-2.5" {...(opens && events)}>
      <AssetIcon asset={asset} flags={flags} colour={colour} />
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 *:min-w-0 *:max-w-full">
        <span className="flex min-w-0 items-center gap-2">
          {wrapSymbol ? (
            <>
              {wrapSymbol(shown)}
              {named && lead(named)}
            </>
          ) : (
            lead(
              <>
                {shown}
                {named}
              </>,
            )
          )}
          {isListed && flags.length === 0 && <ListedMark />}
        </span>
        {!isListed && (wrapSymbol ? lead(id) : id)}
        {badge}
        <FlagChips flags={flags} />
      </span>
      {card}
    </span>
  );
}

/** An item of a list, or a part of a line, that opens the asset's card. */
export function AssetItem({
  as: Element = "li",
  asset,
  flags,
  share,
  children,
  ...item
}: CardFacts & Omit<ComponentProps<"li">, "ref"> & { as?: "li" | "span" }) {
  const { card, events } = useCard({ asset, flags, share });
  return (
    <Element {...item} {...events}>
      {children}
      {card}
    </Element>
  );
}

/** An asset's card, if it is open, and the events that open it. A mouse that rests on the element does, and the focus of a keyboard. */
function useCard({ asset, flags, share }: CardFacts) {
  const [label, setLabel] = useState<HTMLElement | null>(null);
  const timer = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  function close() {
    window.clearTimeout(timer.current);
    setLabel(null);
  }
  const events = {
    onPointerEnter({ pointerType, currentTarget }: PointerEvent<HTMLElement>) {
      if (pointerType === "mouse") timer.current = window.setTimeout(setLabel, RESTING_MS, currentTarget);
    },
    onPointerLeave: close,
    onPointerDown: close,
    onFocus({ target, currentTarget }: FocusEvent<HTMLElement>) {
      if (target.matches(":focus-visible")) setLabel(currentTarget);
    },
    onBlur: close,
  };
  const card = label && (
    <Suspense>
      <AssetCard {...{ asset, flags, share, label }} onClose={close} />
    </Suspense>
  );
  return { card, events };
}

export const ListedMark = () => (
  <span className="text-accent" title="In this server's registry">
    <ListedIcon aria-label="listed" />
  </span>
);

function AssetLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link
      href={`/assets/${id}`}
      tabIndex={useRowTabIndex()}
      className="flex min-h-6 min-w-0 items-center gap-2 text-text max-sm:relative max-sm:z-1"
    >
      {children}
    </Link>
  );
}

function FlagChips({ flags }: { flags: readonly Flag[] }) {
  const [first, ...others] = flags;
  if (!first) return null;
  return (
    <Chip tone="warn" data-flag={first.kind} title={flags.map((flag) => flag.reason).join(" ")}>
      <WarningIcon />
      <bdi>{first.label}</bdi>
      {others.length > 0 && <span className="flex-none">+{others.length}</span>}
    </Chip>
  );
}

/** Marks the first occurrence of `part` in a text, in upper or lower case. */
export function Highlighted({ text, part }: { text: string; part: string }) {
  const at = part === "" ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}
