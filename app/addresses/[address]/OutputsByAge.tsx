import type { CSSProperties } from "react";
import { capitalised, countOf, formatCount } from "#lib/client/format.ts";
import { MAX_AGED_OUTPUTS, type OutputAge } from "#lib/queries/output-ages.ts";
import { terms } from "#terms";

const WIDTH = 720;
const HEIGHT = 96;
const GAP = 3;

/** A chart of the live outputs by the height of their block, the oldest on the left. */
export function OutputsByAge({ title, ages }: { title: string; ages: OutputAge[] | null }) {
  if (!ages) {
    return (
      <p className="text-text-2">
        Not counted: there are more than {countOf(MAX_AGED_OUTPUTS, terms.output)} here.
      </p>
    );
  }
  const [first, last] = [ages[0], ages.at(-1)];
  if (!first || !last) return null;
  const step = WIDTH / ages.length;
  const highest = ages.reduce((most, age) => (age.count > most.count ? age : most));
  return (
    <div className="group">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4">
        <p className="text-text-2 text-xs">
          Highest column: {countOf(highest.count, terms.output)}, {blocksOf(highest)}
        </p>
        <label className="flex items-center gap-2 text-text-2">
          <input type="checkbox" autoComplete="off" />
          Log scale
        </label>
      </div>
      <svg
        role="img"
        aria-label={`${title}, ${blocksOf({ from: first.from, to: last.to })}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-24 w-full border-control border-b"
      >
        <desc>One column for each range of blocks, the oldest first. The table below has every count.</desc>
        {ages.map((age, at) => (
          <g key={age.from}>
            <title>{`${countOf(age.count, terms.output)}, ${blocksOf(age)}`}</title>
            {/* The title covers the whole column, however low its bar. */}
            <rect x={at * step} width={step} height={HEIGHT} fill="transparent" />
            <rect
              x={at * step + GAP / 2}
              width={step - GAP}
              height={HEIGHT}
              className="origin-bottom fill-accent [transform-box:fill-box] [transform:scaleY(var(--linear))] group-has-checked:[transform:scaleY(var(--log))]"
              style={heights(age.count, highest.count)}
            />
          </g>
        ))}
      </svg>
      <p className="mt-1 flex justify-between text-text-2 text-xs">
        <span>Block {formatCount(first.from)}</span>
        <span>Tip {formatCount(last.to)}</span>
      </p>
      <details className="mt-2">
        <summary className="text-text-2">As a table</summary>
        <table className="mt-2 w-full max-w-md">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr className="text-text-2 text-xs">
              <th scope="col" className="py-1 text-start font-medium">
                Blocks
              </th>
              <th scope="col" className="py-1 text-end font-medium">
                {capitalised(terms.output.many)}
              </th>
            </tr>
          </thead>
          <tbody>
            {ages.map((age) => (
              <tr key={age.from} className="border-border border-t">
                <td className="py-1">{rangeOf(age)}</td>
                <td className="py-1 text-end">{formatCount(age.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

/** The lowest bar, which is still visible: 1.5 pixels. */
const LOWEST = 1.5 / HEIGHT;

function heights(count: number, most: number): CSSProperties {
  const part = (share: number) => (count === 0 ? 0 : Math.max(share, LOWEST));
  return {
    "--linear": part(count / most),
    "--log": part(Math.log1p(count) / Math.log1p(most)),
  } as CSSProperties;
}

type Range = Pick<OutputAge, "from" | "to">;

const rangeOf = ({ from, to }: Range): string =>
  from === to ? formatCount(from) : `${formatCount(from)}–${formatCount(to)}`;

const blocksOf = (range: Range): string =>
  `${range.from === range.to ? "block" : "blocks"} ${rangeOf(range)}`;
