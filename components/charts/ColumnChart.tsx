"use client";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Link } from "#components/Link.tsx";
import { highestDrawn, percent, share } from "./plot.ts";

export interface ChartColumn {
  key: string;
  amount: bigint;
  colour: string;
  /** All that there is to say of it: its tooltip and the name of its link. */
  text: string;
  href: string;
  /** Its height means nothing, such as of a block without a priced asset. */
  unmeasured?: boolean;
}

/** The lowest column, so that it can be pressed. */
const LEAST = 0.03;

/** Where the arrow keys lead from one of so many columns. */
const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

function onKeyDown(event: KeyboardEvent<HTMLUListElement>) {
  const links = [...event.currentTarget.querySelectorAll("a")];
  const at = links.indexOf(event.target as HTMLAnchorElement);
  const next = STEPS[event.key]?.(at, links.length - 1);
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}

const SLIDE_MS = 300;

/**
 * Amounts side by side, each a link: one stop of the Tab key, from which arrow keys lead on. The top of a cut one fades. When
 * others come in, they slide to their places; nothing in the page moves for that.
 */
export function ColumnChart({ label, columns }: { label: string; columns: readonly ChartColumn[] }) {
  const [focused, setFocused] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const newest = columns.at(-1)?.key;
  const slidTo = useRef(newest);
  useEffect(() => {
    if (slidTo.current === newest) return;
    slidTo.current = newest;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const from = `translateX(${percent(1 / list.current!.childElementCount)})`;
    list.current!.animate([{ transform: from }, { transform: "none" }], {
      duration: SLIDE_MS,
      easing: "ease-out",
    });
  }, [newest]);
  const stop = columns.some(({ key }) => key === focused) ? focused : newest;
  const most = highestDrawn(columns.map(({ amount }) => amount));
  return (
    <div className="overflow-hidden border-b">
      <ul ref={list} aria-label={label} onKeyDown={onKeyDown} className="flex h-36 gap-px sm:gap-1">
        {columns.map(({ key, amount, colour, text, href, unmeasured }, at) => (
          // A column is a place, whose height changes: the page does not take it for a shift.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={at} className="h-full min-w-0 flex-1">
            <Link
              href={href}
              title={text}
              aria-label={text}
              tabIndex={key === stop ? 0 : -1}
              onFocus={() => setFocused(key)}
              className="block h-full -outline-offset-2 hover:bg-sunken"
            >
              <span
                className="block h-full forced-color-adjust-none"
                style={{
                  clipPath: `inset(${percent(1 - (unmeasured ? LEAST : Math.min(Math.max(share(amount, most), LEAST), 1)))} 0 0 0 round 3px 3px 0 0)`,
                  backgroundColor: colour,
                  opacity: unmeasured ? 0.5 : 1,
                  ...(amount > most && { maskImage: "linear-gradient(transparent, black 50%)" }),
                }}
              />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
