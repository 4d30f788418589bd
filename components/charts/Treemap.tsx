import { hierarchy, treemap, treemapDice, treemapSlice, treemapSquarify } from "d3-hierarchy";
import { FilterLink } from "#components/FilterLink.tsx";
import { shareOf, sharesOf } from "#lib/client/format.ts";
import { percent, share } from "./plot.ts";
import { REST, type Share } from "./ShareBar.tsx";

const WIDE = { width: 1216, height: 160, className: "h-40 max-sm:hidden" };
const PHONE = { width: 358, height: 256, className: "h-64 sm:hidden" };
const LINK_WIDTH = 56;
const LINK_HEIGHT = 26;
/** A remainder with a larger share is placed apart, at the end. */
const APART = 0.08;

interface Node {
  part?: Share;
  share?: string | undefined;
  children?: Node[];
}

interface Props {
  parts: readonly Share[];
  /** Fewer parts of the same whole, for phones. */
  few: readonly Share[];
  title: string;
  /** The whole that shares refer to if parts overlap; otherwise the sum of the parts. */
  of?: bigint | undefined;
}

/** Parts of a whole as areas in proportion to their amounts. The title of each has all of its text. */
export function Treemap({ parts, few, ...about }: Props) {
  return (
    <>
      <Areas shape={WIDE} parts={parts} {...about} />
      <Areas shape={PHONE} parts={few} {...about} />
    </>
  );
}

function Areas({ shape, parts, title, of }: Omit<Props, "few"> & { shape: typeof WIDE }) {
  const { width, height, className } = shape;
  const amounts = parts.map(({ amount }) => amount);
  const whole = amounts.reduce((sum, amount) => sum + amount, 0n);
  const shares = of === undefined ? sharesOf(amounts) : amounts.map((amount) => shareOf(amount, of));
  const isApart = ({ key, amount }: Share) => key === REST && share(amount, whole) > APART;
  const nodesOf = (some: readonly Share[]): Node[] =>
    some.map((part) => ({ part, share: shares[parts.indexOf(part)] }));
  const root = hierarchy<Node>({
    children: [
      { children: nodesOf(parts.filter((part) => !isApart(part))) },
      ...nodesOf(parts.filter(isApart)),
    ],
  }).sum(({ part }) => (part ? share(part.amount, whole) : 0));
  const isWide = width > 2 * height;
  const apart = isWide ? treemapDice : treemapSlice;
  const squares = treemapSquarify.ratio(isWide ? 2.2 : 1.2);
  const leaves = treemap<Node>()
    .size([width, height])
    .tile((node, ...at) => (node.depth === 0 ? apart : squares)(node, ...at))(root)
    .leaves();
  return (
    <ul aria-label={title} className={`relative forced-color-adjust-none ${className}`}>
      {leaves.map(({ data: { part, share }, x0, x1, y0, y1 }) => {
        if (!part) return null;
        const figures = `${part.text} · ${share}`;
        const text = `${part.name}: ${figures}`;
        const isLarge = x1 - x0 >= LINK_WIDTH && y1 - y0 >= LINK_HEIGHT;
        const description = <span className="sr-only">{text}</span>;
        return (
          <li
            key={part.key}
            title={text}
            className="absolute p-px"
            style={{
              left: percent(x0 / width),
              top: percent(y0 / height),
              width: percent((x1 - x0) / width),
              height: percent((y1 - y0) / height),
            }}
          >
            <div
              className="relative size-full overflow-hidden rounded-md [container-type:size]"
              style={{ backgroundColor: `color-mix(in srgb, ${part.colour} 18%, var(--color-bg))` }}
            >
              <span aria-hidden="true" className={NAME}>
                {part.label}
              </span>
              <span aria-hidden="true" className={FIGURES}>
                {figures}
              </span>
              {isLarge && part.filter ? (
                <FilterLink filter={part.filter} className={AREA}>
                  {description}
                </FilterLink>
              ) : (
                description
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const NAME =
  "hidden truncate px-1.5 pt-1 font-semibold text-xs [@container(min-width:44px)_and_(min-height:24px)]:block [@container(min-width:64px)]:text-sm [@container(min-width:150px)_and_(min-height:52px)]:px-3 [@container(min-width:150px)_and_(min-height:52px)]:pt-2";
const FIGURES =
  "hidden truncate px-3 text-[13px] text-text-2 [@container(min-width:176px)_and_(min-height:52px)]:block";
const AREA =
  "absolute inset-0 rounded-md hover:bg-text/5 focus-visible:-outline-offset-2 motion-safe:transition-colors";
