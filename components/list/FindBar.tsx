"use client";

import type { RowData } from "@tanstack/react-table";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { CloseIcon } from "#components/icons.tsx";
import { useLabels } from "#components/labels.tsx";
import { focusResults } from "#components/navigation.tsx";
import type { TableRow } from "#components/table/columns.ts";
import type { FoundRow } from "#components/table/row-place.ts";
import { Button } from "#components/ui/Button.tsx";
import { Field } from "#components/ui/Field.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import { columnsOf } from "#lib/client/paste.ts";

/** Time after which typing has paused. */
const TYPING_MS = 200;
/** Maximum length of the text, in UTF-16 code units. */
const MAX_TEXT = 200;

interface Props<Entry extends RowData> {
  rows: readonly TableRow<Entry>[];
  csv: CsvColumns<Entry>;
  /** The reader typed this while the bar was loading. */
  typed: string;
  onFound: (row: FoundRow | null) => void;
  onClose: () => void;
}

/** Searches the loaded rows for a text and steps through those that have it. */
export default function FindBar<Entry extends RowData>(props: Props<Entry>) {
  const { rows, csv, typed, onFound, onClose } = props;
  const [text, setText] = useState(typed);
  const [wanted, setWanted] = useState("");
  const [found, setFound] = useState<string>();
  const textOf = useRowTexts(csv);
  const matches = useMemo(
    () => (wanted === "" ? [] : rows.filter(({ original }) => hasText(textOf(original), wanted))),
    [rows, wanted, textOf],
  );
  const at = matches.findIndex(({ id }) => id === found);
  function show(row: TableRow<Entry> | undefined) {
    setFound(row?.id);
    onFound(row ? { id: row.id } : null);
  }
  function close() {
    onClose();
    focusResults();
    // A row that was found takes the focus in turn.
    document.querySelector<HTMLElement>("tr[aria-current]")?.focus({ preventScroll: true });
  }
  const step = (by: 1 | -1) => show(matches.at((Math.max(at, by < 0 ? 0 : -1) + by) % matches.length));
  /** Shows the first row that has the text. Rows that load later do not move the reader. */
  function find(given: string) {
    const next = plain(given);
    if (next === wanted) return;
    setWanted(next);
    show(next === "" ? undefined : rows.find(({ original }) => hasText(textOf(original), next)));
  }
  const findTyped = useEffectEvent(find);
  useEffect(() => {
    const timer = setTimeout(() => findTyped(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    // The reader may go on typing.
    field.current?.setSelectionRange(MAX_TEXT, MAX_TEXT);
  }, []);
  return (
    <search
      aria-label="Find in the list"
      className="fixed inset-x-2 top-16 z-30 flex flex-wrap items-center gap-2 rounded-lg border bg-surface p-2 shadow-popover sm:right-8 sm:left-auto print:hidden"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <form
        className="flex min-w-0 flex-1 gap-2 max-sm:basis-full"
        onSubmit={(event) => {
          event.preventDefault();
          if (plain(text) !== wanted) find(text);
          else if (matches.length > 0) step(1);
        }}
      >
        <Field
          ref={field}
          type="search"
          aria-label={`Find in ${countOf(rows.length, "loaded row")}`}
          placeholder={`Find in ${countOf(rows.length, "loaded row")}`}
          maxLength={MAX_TEXT}
          value={text}
          className="w-full sm:w-64"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !event.shiftKey) return;
            event.preventDefault();
            if (matches.length > 0) step(-1);
          }}
        />
      </form>
      <span role="status" className="min-w-20 text-text-2">
        {wanted === ""
          ? ""
          : matches.length === 0
            ? "No matches"
            : `${at < 0 ? "" : `${formatCount(at + 1)} of `}${countOf(matches.length, "row")}`}
      </span>
      <Button disabled={matches.length === 0} onClick={() => step(-1)}>
        Previous
      </Button>
      <Button disabled={matches.length === 0} onClick={() => step(1)}>
        Next
      </Button>
      <Button tone="bare" size="square" aria-label="Close" onClick={close}>
        <CloseIcon />
      </Button>
    </search>
  );
}

const plain = (typed: string): string => typed.trim().toLowerCase();

/** Whether a row has the text as it is, or as files write it. */
const hasText = (row: string, text: string): boolean => {
  const written = asInFiles(text);
  return row.includes(text) || (written !== "" && row.includes(written));
};

/** The text as files write amounts, without sign, `$`, groups and trailing zeros, and out points, with a colon. */
const asInFiles = (text: string): string =>
  text
    .replace(/^(?:[+−-](?=\$?\d))?\$?/, "")
    .replace(/(?<=\d)[,\s](?=\d{3})/g, "")
    .replace(/\s*#(?=\d+$)/, ":")
    .replace(/^(\d+(?:\.\d*[1-9])?)\.?0+$/, (amount, cut) => (amount.includes(".") ? cut : amount));

/** The text of a row: the values of its exports, and the reader's labels of its addresses. */
function useRowTexts<Entry extends RowData>(csv: CsvColumns<Entry>): (entry: Entry) => string {
  const labels = useLabels();
  return useMemo(() => {
    const columns = columnsOf(csv);
    const known = new WeakMap<object, string>();
    return (entry) => {
      const before = known.get(entry);
      if (before !== undefined) return before;
      const values = columns.flatMap(([, valueIn]) => {
        const value = String(valueIn(entry));
        return [value, labels.get(value) ?? ""];
      });
      const text = values.join("\n").toLowerCase();
      known.set(entry, text);
      return text;
    };
  }, [csv, labels]);
}
