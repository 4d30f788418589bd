import { hierarchy, treemap, treemapDice, treemapSquarify } from "d3-hierarchy";
import { Link } from "#components/Link.tsx";
import type { Shares } from "#lib/client/format.ts";
import { percent, share } from "./plot.ts";
import { PartItem, REST, type Share, ShareLine, sharesOfParts } from "./ShareBar.tsx";

const WIDTH = 1216;
const HEIGHT = 132;
/** Most tiles, and most parts of the bar that phones show instead. */
const TILES = 12;
const PARTS = 5;
/** A remainder with a larger share is placed apart, at the end. */
const APART = 0.08;
/** A smaller remainder needs no tile. The second limit holds where the only alternative is a single tile. */
const SMALL = [0.02, 0.1];
/** Widths of tiles to try, in heights. */
const RATIOS = [2.2, 1.5, 3, 1, 4, 6];

interface Node {
  part?: Share;
  share?: string | undefined;
  children?: Node[];
}
interface Tile {
  part: Share;
  share: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Whether there is room for the name above the share, or beside it. */
const isLegible = ({ width, height }: Tile) =>
  (width >= 84 && height >= 42) || (width >= 140 && height >= 26);

interface Props {
  title: string;
  /** The largest first. */
  parts: readonly Share[];
  /** All parts but the first ones, as one, or the last part itself; null if there are none. */
  restOf: (shown: number) => Share | null;
  shares: Shares;
}

/**
 * Parts of a whole as areas in proportion to their amounts, each with its share. Parts without room for that are one remainder;
 * if that has no room either, the last item names it below the areas. Narrow windows have a bar instead.
 */
export function Treemap({ title, parts, restOf, shares }: Props) {
  const { tiles, left } = fitting(parts, restOf, shares);
  return (
    <>
      <ul aria-label={title} className="relative h-33 forced-color-adjust-none max-md:hidden">
        {tiles.map((tile) => (
          <Area key={tile.part.key} {...tile} />
        ))}
        {left && (
          <li className="absolute end-0 top-full text-text-3 text-xs">
            {`and ${left.part.name}, too small to draw: ${left.part.text} · ${left.share}`}
          </li>
        )}
      </ul>
      <div className="md:hidden">
        <ShareLine
          title={title}
          shares={shares}
          parts={together(parts.slice(0, PARTS), restOf(Math.min(parts.length, PARTS)))}
        />
      </div>
    </>
  );
}

const together = (shown: readonly Share[], rest: Share | null) => (rest ? [...shown, rest] : shown);

/** The most tiles that are all legible in one of the layouts, and what is left to name. */
function fitting(parts: readonly Share[], restOf: Props["restOf"], shares: Shares) {
  for (const most of SMALL) {
    for (let count = Math.min(parts.length, TILES); count > 0; count -= 1) {
      const rest = restOf(count);
      const all = together(parts.slice(0, count), rest);
      const texts = sharesOfParts(all, shares);
      const tiles = all.length <= TILES && legible(all, texts);
      if (tiles) return { tiles, left: null };
      const without = rest && share(rest.amount, amountOf(all)) < most && legible(all.slice(0, -1), texts);
      if (without) return { tiles: without, left: { part: rest, share: texts.at(-1)! } };
    }
  }
  const whole = together([], restOf(0));
  return { tiles: tilesOf(whole, sharesOfParts(whole, shares), 1), left: null };
}

function legible(parts: readonly Share[], texts: readonly string[]): Tile[] | undefined {
  const layouts = RATIOS.map((ratio) => tilesOf(parts, texts, ratio));
  return layouts.find((tiles) => tiles.every(isLegible));
}

const amountOf = (parts: readonly Share[]) => parts.reduce((sum, { amount }) => sum + amount, 0n);

function tilesOf(parts: readonly Share[], texts: readonly string[], ratio: number): Tile[] {
  const whole = amountOf(parts);
  const nodes = parts.map((part, at): Node => ({ part, share: texts[at] }));
  const last = parts.at(-1);
  const isApart = last?.key === REST && share(last.amount, whole) > APART;
  const root = hierarchy<Node>({
    children: isApart ? [{ children: nodes.slice(0, -1) }, nodes.at(-1)!] : [{ children: nodes }],
  }).sum(({ part }) => (part ? share(part.amount, whole) : 0));
  const squares = treemapSquarify.ratio(ratio);
  return treemap<Node>()
    .size([WIDTH, HEIGHT])
    .tile((node, ...at) => (node.depth === 0 ? treemapDice : squares)(node, ...at))(root)
    .leaves()
    .flatMap(({ data: { part, share = "" }, x0, x1, y0, y1 }) =>
      part ? [{ part, share, left: x0, top: y0, width: x1 - x0, height: y1 - y0 }] : [],
    );
}

function Area({ part, share, left, top, width, height }: Tile) {
  const text = `${part.name}: ${part.text} · ${share}`;
  const description = <span className="sr-only">{text}</span>;
  return (
    <PartItem
      of={part}
      share={share}
      title={text}
      className="absolute p-px"
      style={{
        left: percent(left / WIDTH),
        top: percent(top / HEIGHT),
        width: percent(width / WIDTH),
        height: percent(height / HEIGHT),
      }}
    >
      <div
        className="relative size-full overflow-hidden rounded-md [container-type:size]"
        style={{ backgroundColor: `color-mix(in srgb, ${part.colour} 18%, var(--color-bg))` }}
      >
        <span aria-hidden="true" className={TEXT}>
          <span className="min-w-0 truncate font-semibold text-sm">{part.label}</span>
          <span className="flex-none text-text-2 text-xs">
            <span className="hidden [@container(min-width:176px)]:inline">{part.text} · </span>
            {share}
          </span>
        </span>
        {part.filter ? (
          <Link href={part.filter} className={AREA}>
            {description}
          </Link>
        ) : (
          description
        )}
      </div>
    </PartItem>
  );
}

/** The share stands below the name, or beside it in a low tile. */
const TEXT =
  "flex flex-col px-2 py-0.5 [@container(min-height:52px)]:py-1.5 [@container(max-height:39px)]:flex-row [@container(max-height:39px)]:items-baseline [@container(max-height:39px)]:justify-between [@container(max-height:39px)]:gap-2";
const AREA =
  "absolute inset-0 rounded-md hover:bg-text/5 focus-visible:-outline-offset-2 motion-safe:transition-colors";
