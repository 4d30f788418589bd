import type { Ref } from "react";
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
}

/** The lowest column, so that it can be pressed. */
const LEAST = 0.03;

/** Amounts side by side, each a link. A new column slides in, and one that goes folds. */
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
    <ul ref={ref} aria-label={label} className="flex h-36 items-end gap-px overflow-hidden border-b sm:gap-1">
      {columns.map(({ key, amount, colour, text, href, unmeasured }) => (
        <li key={key} className="h-full min-w-0 flex-1">
          <Link
            href={href}
            title={text}
            aria-label={text}
            className="flex h-full items-end -outline-offset-2 hover:bg-sunken"
          >
            <span
              className="block w-full rounded-t-[3px] transition-[height] duration-300 forced-color-adjust-none motion-reduce:transition-none"
              style={{
                height: percent(unmeasured ? LEAST : Math.max(share(amount, most), LEAST)),
                backgroundColor: colour,
                opacity: unmeasured ? 0.5 : 1,
              }}
            />
          </Link>
        </li>
      ))}
    </ul>
  );
}
