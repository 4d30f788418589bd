"use client";

import type { FormEvent } from "react";
import { OtherParameters } from "#components/BlockForm.tsx";
import { DateButton } from "#components/DateButton.tsx";
import { focusResults, openPage } from "#components/navigation.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Field } from "#components/ui/Field.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { withBase } from "#lib/client/base-path.ts";
import { formatCount } from "#lib/client/format.ts";

/** Lengths of the ranges up to the tip. */
const LENGTHS = [10, 100, 1_000];

const LABELS = {
  from: (
    <>
      <span className="max-sm:sr-only">All blocks </span>after
    </>
  ),
  to: (
    <>
      up to<span className="max-sm:sr-only"> and including</span>
    </>
  ),
};

export interface RangeFaults {
  from?: string | undefined;
  to?: string | undefined;
}

interface Props {
  tip: { height: number } | null;
  /** The block before the range, and its last one. */
  range: { from: string; to: string };
  faults?: RangeFaults;
}

/** Parameters that name a range, or a place in its list. */
const OF_RANGE = ["from", "to", "page"];

/** Chooses a range of blocks, with the same filters. Works without scripts. */
export function RangeForm({ tip, range, faults = {} }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)] as [string, string][];
    // The fields have other keys on the next page, which drops their focus.
    focusResults();
    openPage(`/blocks/range?${new URLSearchParams(fields)}`, { scroll: false });
  };
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2 print:hidden">
      {tip && (
        <Segments
          label="Ranges up to the newest block"
          choices={LENGTHS.filter((length) => length <= tip.height).map((length) => ({
            href: { from: String(tip.height - length), to: String(tip.height), page: "" },
            title: `Last ${formatCount(length)}`,
            // The page may have been opened some blocks ago.
            current:
              Number(range.to) - Number(range.from) === length && tip.height - Number(range.to) < length,
          }))}
        />
      )}
      <form
        aria-label="Add up blocks"
        action={withBase("/blocks/range")}
        onSubmit={submit}
        className="flex flex-wrap items-start gap-2 text-text-2 max-sm:grid max-sm:w-full max-sm:grid-cols-[minmax(0,1fr)_auto]"
      >
        <OtherParameters but={OF_RANGE} />
        {(["from", "to"] as const).map((name) => (
          <div
            key={name}
            className="grid min-w-0 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-2 max-sm:grid-cols-[40px_minmax(0,1fr)] max-sm:first:col-span-2"
          >
            <label htmlFor={`range-${name}`} className="whitespace-nowrap">
              {LABELS[name]}
            </label>
            <span className="flex gap-1">
              <Field
                key={range[name]}
                id={`range-${name}`}
                name={name}
                defaultValue={range[name]}
                placeholder="Number, hash or date"
                aria-invalid={faults[name] !== undefined}
                aria-describedby={faults[name] && `range-${name}-fault`}
                className="max-sm:flex-1 sm:w-40"
              />
              <DateButton field={`range-${name}`} label={name === "from" ? "after" : "up to"} />
            </span>
            {faults[name] && (
              <span
                id={`range-${name}-fault`}
                className="mt-1 text-bad text-xs max-sm:col-span-2 sm:col-start-2 sm:w-40"
              >
                {faults[name]}
              </span>
            )}
          </div>
        ))}
        <Button type="submit">
          <span>
            Show<span className="max-sm:sr-only"> the sum</span>
          </span>
        </Button>
      </form>
    </div>
  );
}
