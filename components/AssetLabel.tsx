import { memo, type ReactNode, useState } from "react";
import { terms } from "#chain/terms.ts";
import { withBase } from "#lib/client/base-path.ts";
import { type AssetNames, displayName, displaySymbol, type Flag } from "#lib/client/chain-text.ts";
import { cutId } from "#lib/client/format.ts";
import { identicon } from "#lib/client/identicon.ts";
import { Cut } from "./Cut.tsx";
import { WarningIcon } from "./icons.tsx";
import { Chip } from "./ui/Chip.tsx";

/** A decoration; the text beside it names the asset. */
const AssetPattern = memo(function AssetPattern({ id }: { id: string }) {
  const { hue, squares } = identicon(id);
  return (
    <svg
      aria-hidden="true"
      width="20"
      height="20"
      viewBox="-1 -1 7 7"
      className="shrink-0 overflow-visible rounded-[4px] border border-border bg-sunken"
    >
      {/* One element: a long list draws many of these. */}
      <path
        d={squares.map(([x, y]) => `M${x} ${y}h1.02v1.02h-1.02z`).join("")}
        fill={`hsl(${hue} 45% 52%)`}
      />
    </svg>
  );
});

function NativeMark() {
  const { colour, path } = terms.nativeMark;
  return (
    <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" className="shrink-0 overflow-visible">
      <rect width="20" height="20" rx="4" fill={colour} />
      <path
        d={path}
        fill="none"
        stroke="#fff"
        strokeWidth="1.4"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** The asset's icon; its pattern or mark if it has none, looks odd, or its icon fails to load. */
function AssetIcon({ asset: { id, icon }, flags }: Pick<Props, "asset" | "flags">) {
  const [failed, setFailed] = useState("");
  // Always from this origin, which the API's `icon` need not name.
  const source = icon ? withBase(`/asset-icons/${encodeURIComponent(id)}`) : "";
  if (source === "" || source === failed || flags.length > 0) {
    return id === terms.native.id ? <NativeMark /> : <AssetPattern id={id} />;
  }
  return (
    // biome-ignore lint/performance/noImgElement: 20 pixels of a file of ours need no optimizer
    <img
      src={source}
      alt=""
      width="20"
      height="20"
      loading="lazy"
      decoding="async"
      className="size-5 shrink-0 rounded-[4px] object-contain"
      // The image may have failed before this code ran.
      ref={(image) => {
        if (image?.complete && image.naturalWidth === 0) setFailed(source);
      }}
      onError={() => setFailed(source)}
    />
  );
}

interface Props {
  asset: AssetNames & { icon?: string };
  flags: readonly Flag[];
  /** Show the name beside the symbol. */
  named?: boolean;
  /** A word about what holds it, beside its id. */
  badge?: ReactNode;
  /** The part of symbol and name to mark: the text of the filter. */
  highlight?: string;
  /** Makes something to press of the symbol. */
  wrapSymbol?: (symbol: ReactNode) => ReactNode;
}

/** A symbol that fits in every column, as most do: cutting text off costs a long list time. */
const FITS = /^[\x21-\x7e]{1,6}$/;
const TRUNCATED = "truncate max-w-[min(18ch,100%)]";

/** An asset by what it claims, its symbol, and what is certain, its id. Warns if the symbol is suspect. */
export function AssetLabel({ asset, flags, named = false, badge, highlight = "", wrapSymbol }: Props) {
  const symbol = displaySymbol(asset);
  const name = displayName(asset);
  const shown = (
    <bdi className={`block shrink-0 font-medium ${FITS.test(symbol) ? "" : TRUNCATED}`}>
      <Highlighted text={symbol} part={highlight} />
    </bdi>
  );
  // On a phone there is not room for both. The mark says which asset it is.
  const badgeOnly = badge !== undefined && asset.id === terms.native.id;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <AssetIcon asset={asset} flags={flags} />
      <span
        className={`flex min-w-0 flex-wrap items-center gap-x-2 *:min-w-0 *:max-w-full max-lg:items-start sm:max-lg:flex-col ${badgeOnly ? "max-sm:flex-nowrap" : ""}`}
      >
        <span className="flex min-w-0 items-center gap-2">
          {wrapSymbol ? wrapSymbol(shown) : shown}
          {named && asset.symbol && asset.name && name !== symbol && (
            <bdi className="truncate text-text-2">
              <Highlighted text={name} part={highlight} />
            </bdi>
          )}
        </span>
        <span className="flex max-w-full flex-wrap items-center gap-x-2 max-lg:gap-x-1">
          <Cut
            parts={cutId(asset.id)}
            className={`shrink-0 text-text-3 ${badgeOnly ? "max-sm:hidden" : ""}`}
          />
          {badge}
        </span>
        <FlagChips flags={flags} />
      </span>
    </span>
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

function Highlighted({ text, part }: { text: string; part: string }) {
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
