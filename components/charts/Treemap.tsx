import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { percent, share } from "./plot.ts";
import type { Share } from "./ShareBar.tsx";

/** The drawing's shape; its box may have another, in which areas still compare. */
const WIDTH = 1176;
const HEIGHT = 160;
/** A part with less width or height than this, in the drawing, has no room for text. */
const TEXT_WIDTH = 90;
const TEXT_HEIGHT = 44;

interface Node {
  part?: Share;
  children?: Node[];
}

/** Parts of a whole as areas, true to their shares. A list beside it says the same in text. */
export function Treemap({ parts, title }: { parts: readonly Share[]; title: string }) {
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const root = hierarchy<Node>({ children: parts.map((part) => ({ part })) }).sum(({ part }) =>
    part ? share(part.amount, whole) : 0,
  );
  const leaves = treemap<Node>().size([WIDTH, HEIGHT]).tile(treemapSquarify.ratio(2.2))(root).leaves();
  return (
    <ul aria-label={title} className="relative h-40 forced-color-adjust-none max-sm:h-64">
      {leaves.map(({ data: { part }, x0, x1, y0, y1 }) => {
        if (!part) return null;
        const legible = x1 - x0 >= TEXT_WIDTH && y1 - y0 >= TEXT_HEIGHT;
        return (
          <li
            key={part.key}
            title={`${part.name}: ${part.text} · ${part.share}`}
            className="absolute p-px"
            style={{
              left: percent(x0 / WIDTH),
              top: percent(y0 / HEIGHT),
              width: percent((x1 - x0) / WIDTH),
              height: percent((y1 - y0) / HEIGHT),
            }}
          >
            <div
              className="size-full overflow-hidden rounded-md px-3 py-2"
              style={{ backgroundColor: `color-mix(in srgb, ${part.colour} 18%, var(--color-bg))` }}
            >
              <span className={legible ? "" : "sr-only"}>
                <span className="block truncate font-semibold">{part.label}</span>
                <span className="block truncate text-[13px] text-text-2">
                  {part.text} · {part.share}
                </span>
              </span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
