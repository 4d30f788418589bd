"use client";

import { useState } from "react";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { isAnyCut } from "#components/charts/plot.ts";
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
    text: `${from === to ? "Block" : `Blocks ${formatCount(from)} to`} ${formatCount(to)}: ${countOf(count, terms.output)}`,
    href: `/addresses/${address}?tab=changes&since=${Math.max(from - 1, 0)}&to=${to}`,
  }));
  return (
    <>
      <div className="mb-2 flex justify-between text-text-2 text-xs">
        <p>{isAnyCut(columns.map(({ amount }) => amount)) && "Faded columns are cut off."}</p>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={isLog} onChange={(event) => setLog(event.target.checked)} />
          Log scale
        </label>
      </div>
      <ColumnChart
        label={title}
        columns={columns}
        ends={[{ height: ages[0]?.from ?? 0 }, { height: ages.at(-1)?.to ?? 0 }]}
      />
    </>
  );
}
