"use client";

import type { RowData } from "@tanstack/react-table";
import { useEffect, useEffectEvent } from "react";
import { copyAndSay } from "#components/copy.ts";
import { focusResults } from "#components/navigation.tsx";
import type { DataTableState } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { displaySymbol, markedAmount } from "#lib/client/chain-text.ts";
import { countOf, formatDifference, formatUsd } from "#lib/client/format.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import { pasteText } from "#lib/client/paste.ts";
import type { Worth } from "./worth.ts";

interface Props<Entry extends RowData> {
  table: DataTableState<Entry>;
  csv: CsvColumns<Entry>;
  worthOf: (entry: Entry) => Worth;
}

/** The selected rows, of which there is at least one: their number and sums, and what can be done with them. */
export default function SelectionBar<Entry extends RowData>({ table, csv, worthOf }: Props<Entry>) {
  const selected = table.getSelectedRowModel().rows.map(({ original }) => original);
  const clear = useEffectEvent(({ key, defaultPrevented, target }: KeyboardEvent) => {
    if (key !== "Escape" || defaultPrevented) return;
    // Fields, and what is open, have the key first.
    const isField = target instanceof Element && target.matches("input:not([type=checkbox]), select");
    if (isField || document.querySelector("dialog[open], :popover-open")) return;
    table.resetRowSelection(true);
  });
  useEffect(() => {
    document.addEventListener("keydown", clear);
    return () => document.removeEventListener("keydown", clear);
  }, []);
  const count = countOf(selected.length, "row");
  return (
    <NewsBar
      raised
      action={
        <span className="flex gap-1">
          <Button onClick={() => void copyAndSay(pasteText(selected, csv), count)}>Copy rows</Button>
          <Button
            onClick={() => {
              // The focused button disappears.
              focusResults();
              table.resetRowSelection(true);
            }}
          >
            Clear
          </Button>
        </span>
      }
    >
      {[`${count} selected`, ...sumsOf(selected.map(worthOf))].map((part, at) => (
        <bdi key={part} className="wrap-anywhere">
          {at > 0 && " · "}
          {part}
        </bdi>
      ))}
    </NewsBar>
  );
}

/**
 * The total amount if all rows have the same asset, and the value of the rows with a price. An input whose output is not indexed has
 * an asset without an id.
 */
export function sumsOf(all: readonly Worth[]): string[] {
  const { asset, kind, signed } = all[0]!;
  const sums: string[] = [];
  if (asset.id !== "" && all.every((one) => one.asset.id === asset.id)) {
    const format = (size: bigint) => `${markedAmount(size, asset, kind).exact} ${displaySymbol(asset)}`;
    const sum = all.reduce((total, { amount }) => total + amount, 0n);
    sums.push(signed ? formatDifference(sum, format) : format(sum));
  }
  const values = all.flatMap(({ usd }) => usd ?? []);
  if (values.length > 0) {
    const { exact } = formatUsd(values.reduce((total, value) => total + value, 0n));
    sums.push(values.length === all.length ? exact : `${exact} (${values.length} with a price)`);
  }
  return sums;
}
