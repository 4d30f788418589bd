"use client";

import type { RowData } from "@tanstack/react-table";
import { Suspense, useEffect, useEffectEvent, useState } from "react";
import { SearchIcon } from "#components/icons.tsx";
import { lazyPart } from "#components/lazy-part.tsx";
import { WHOLE_ROWS } from "#components/table/near-rows.ts";
import type { FoundRow } from "#components/table/row-place.ts";
import type { DataTableState } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import { Field, focusOn } from "#components/ui/Field.tsx";
import type { CsvColumns } from "#lib/client/list.ts";

const FindBar = lazyPart("The search in this list", () => import("./FindBar.tsx"));

interface Props<Entry extends RowData> {
  table: DataTableState<Entry>;
  csv: CsvColumns<Entry>;
  onFound: (row: FoundRow | null) => void;
}

/**
 * Opens a search in the loaded rows, which a long list does not draw: the browser's own misses them. Ctrl-F opens it, too; a second
 * time, it is the browser's.
 */
export function FindButton<Entry extends RowData>({ table, csv, onFound }: Props<Entry>) {
  const [open, setOpen] = useState(false);
  const [early, setEarly] = useState("");
  const { rows } = table.getRowModel();
  const isNeeded = rows.length > WHOLE_ROWS;
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    // On a Mac, Ctrl-F moves the caret. A browser that fills a form sends a key without a name.
    const isFind =
      event.key?.toLowerCase() === "f" && (/Mac|iP/.test(navigator.platform) ? event.metaKey : event.ctrlKey);
    if (!isFind || event.altKey || event.shiftKey || event.defaultPrevented || open) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    show();
  });
  useEffect(() => {
    if (!isNeeded) return;
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isNeeded]);
  function show() {
    setEarly("");
    setOpen(true);
  }
  if (!isNeeded) {
    // Another list would open it again.
    if (open) setOpen(false);
    return null;
  }
  return (
    <>
      <Button aria-expanded={open} onClick={show}>
        <SearchIcon /> Find
      </Button>
      {open && (
        <Suspense fallback={<EarlyField value={early} onValue={setEarly} />}>
          <FindBar rows={rows} csv={csv} typed={early} onFound={onFound} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Takes what the reader types until the bar has loaded. The page's shortcuts would take it otherwise. */
function EarlyField({ value, onValue }: { value: string; onValue: (text: string) => void }) {
  return (
    <Field
      ref={focusOn}
      type="search"
      aria-label="Find in the list"
      value={value}
      onChange={(event) => onValue(event.target.value)}
      className="fixed top-18 right-10 z-30 w-64 print:hidden"
    />
  );
}
