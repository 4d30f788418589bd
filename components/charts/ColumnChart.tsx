"use client";

import type { KeyboardEvent, Ref } from "react";
import { Link } from "#components/Link.tsx";
import { largest, percent, share } from "./plot.ts";

export interface ChartColumn {
  key: string;
  amount: bigint;
  colour: string;
  /** All that there is to say of it: its tooltip and the name of its link. */
  text: string;
  href: string;
  /** Its height means nothing, such as of a block without a priced asset. */
  unmeasured?: boolean;
  /** It would be higher: its top fades. */
  cut?: boolean;
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

/** Amounts side by side, each a link: one stop of the Tab key, the last one, from which arrow keys lead on. */
export function ColumnChart({
  label,
  columns,
  ref,
}: {
  label: string;
  columns: readonly ChartColumn[];
  ref?: Ref<HTMLUListElement>;
}) {
  const most = largest(columns.map(({ amount }) => amount));
  return (
    <ul
      ref={ref}
      aria-label={label}
      onKeyDown={onKeyDown}
      className="flex h-36 items-end gap-px overflow-hidden border-b sm:gap-1"
    >
      {columns.map(({ key, amount, colour, text, href, unmeasured, cut }, at) => (
        <li key={key} className="h-full min-w-0 flex-1">
          <Link
            href={href}
            title={text}
            aria-label={text}
            tabIndex={at === columns.length - 1 ? 0 : -1}
            className="flex h-full items-end -outline-offset-2 hover:bg-sunken"
          >
            <span
              className="block w-full rounded-t-[3px] transition-[height] duration-300 forced-color-adjust-none motion-reduce:transition-none"
              style={{
                height: percent(unmeasured ? LEAST : Math.max(share(amount, most), LEAST)),
                backgroundColor: colour,
                opacity: unmeasured ? 0.5 : 1,
                ...(cut && { maskImage: "linear-gradient(transparent, black 50%)" }),
              }}
            />
          </Link>
        </li>
      ))}
    </ul>
  );
}
