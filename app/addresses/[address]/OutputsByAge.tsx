"use client";

import { useState } from "react";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import { terms } from "#terms";

interface Props {
  title: string;
  address: string;
  /** Numbers of outputs by the height of their block, both ends included. */
  ages: readonly { from: number; to: number; count: number }[];
}

/** A chart of the live outputs by age, the oldest first. A column leads to what its blocks changed. */
export function OutputsByAge(props: Props) {
  const { title, address, ages } = props;
  const [isLog, setLog] = useState(false);
  const columns = ages.map(({ from, to, count }) => ({
    key: String(from),
    amount: BigInt(isLog ? Math.round(1000 * Math.log1p(count)) : count),
    colour: "var(--color-accent)",
    short: formatCount(count),
    text: `${from === to ? "Block" : `Blocks ${formatCount(from)} to`} ${formatCount(to)}: ${countOf(count, terms.output)}`,
    // Changes begin after a block, so they cannot include the first one.
    href: `/addresses/${address}?${from === 0 ? "tab=statement" : `tab=changes&since=${from - 1}`}&to=${to}`,
  }));
  return (
    <>
      <label className="mb-2 ms-auto flex w-fit items-center gap-2 text-text-2 text-xs">
        <input type="checkbox" checked={isLog} onChange={(event) => setLog(event.target.checked)} />
        Log scale
      </label>
      <ColumnChart
        label={title}
        columns={columns}
        ends={[{ height: ages[0]?.from ?? 0 }, { height: ages.at(-1)?.to ?? 0 }]}
      />
    </>
  );
}
