import type { RowData } from "@tanstack/react-table";
import { type KeyboardEvent, useCallback, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { useIsClosed } from "#components/closed-pages.ts";
import { copyAndSay } from "#components/copy.ts";
import { hasModifier } from "#components/modifier.ts";
import { openPage } from "#components/navigation.tsx";
import { usePreferences } from "#components/Preferences.tsx";
import { keepPlace, rowOf, type ShownRows, useRowPlace } from "./row-place.ts";
import type { DataTableState } from "./use-data-table.ts";

export interface RowKeys<Entry> {
  /** Returns what the key `c` copies and how that is called; null if nothing. */
  copyOf?: (entry: Entry) => readonly [text: string, label: string] | null;
  /** Returns the path of the block that the key `o` opens. */
  blockOf?: (entry: Entry) => string;
}

/** The focused row, and the keys that move the focus and open or select rows. Only one row is open at a time. */
export function useRowFocus<Entry extends RowData>(
  { getRow, getRowModel, setExpanded, state }: DataTableState<Entry>,
  { copyOf, blockOf }: RowKeys<Entry>,
  shown: ShownRows,
) {
  const { shortcuts } = usePreferences().preferences;
  const hasBlocks = !useIsClosed("/blocks/");
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const { rows } = getRowModel();
  const table = useRowPlace(rows, setFocusedId, shown);
  const toggle = useCallback(
    (id: string) => {
      setFocusedId(id);
      setExpanded((before) => (before !== true && before[id] ? {} : { [id]: true }));
    },
    [setExpanded],
  );
  const select = useCallback(
    (id: string, checked: boolean, shiftKey: boolean) =>
      getRow(id).getToggleSelectedHandler()({ target: { checked }, shiftKey }),
    [getRow],
  );

  function onKeyDown(event: KeyboardEvent<HTMLTableElement>) {
    const { target: element } = event;
    const isBox = element instanceof HTMLInputElement && element.type === "checkbox";
    const target = isBox ? element.closest("tr")! : (element as HTMLElement);
    // A checkbox handles these itself.
    if (isBox && (event.key === " " || event.key === "Enter")) return;
    if (!target.matches("tr[data-row]") || hasModifier(event)) return;
    const letters = shortcuts === "on";
    const at = rows.findIndex(({ id }) => id === target.dataset.id);
    const focused = rows[at];
    if (focused === undefined) return;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      ...(letters && { j: at + 1, k: at - 1 }),
      Home: 0,
      End: rows.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const table = event.currentTarget;
      const { id } = rows[Math.min(Math.max(next, 0), rows.length - 1)]!;
      // A row far from the window is drawn once it is the active one.
      if (!rowOf(table, id)) flushSync(() => setFocusedId(id));
      const row = rowOf(table, id);
      row?.focus({ preventScroll: true });
      // Leaves room for the bars that stick to the top.
      row?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      toggle(focused.id);
    } else if (event.key === "Escape" && Object.keys(state.expanded).length > 0) {
      event.preventDefault();
      setExpanded({});
    } else if (event.key === " ") {
      event.preventDefault();
      select(focused.id, event.shiftKey || !focused.getIsSelected(), event.shiftKey);
    } else if (letters) {
      const { original } = focused;
      const copied = event.key === "c" ? copyOf?.(original) : null;
      if (copied) void copyAndSay(...copied);
      if (event.key === "o" && blockOf && hasBlocks) {
        keepPlace(rowOf(event.currentTarget, focused.id));
        openPage(blockOf(original));
      }
    }
  }

  const activeId = (rows.find(({ id }) => id === focusedId) ?? rows[0])?.id;
  const current = shown.found?.id ?? shown.marked;
  const actions = useMemo(
    () => ({ toggle, select, focus: setFocusedId, marked: current }),
    [toggle, select, current],
  );
  return { activeId, actions, onKeyDown, table };
}
