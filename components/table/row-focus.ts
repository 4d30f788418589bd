import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePreferences } from "#components/Preferences.tsx";

const rowOf = (table: HTMLTableElement | null, id: string) =>
  table?.querySelector<HTMLTableRowElement>(`tr[data-id="${CSS.escape(id)}"]`);

/** The row that each page's list left the focus in, by the page's path. */
const left = new Map<string, string>();
let shownPath = "";
let wentBack = false;
if (typeof window !== "undefined") {
  window.addEventListener("popstate", () => {
    wentBack = window.location.pathname !== shownPath;
  });
}

/** After Back or Forward, returns the focus to the row that it was in when the reader left. */
function useReturnedFocus(focusedId: string | null, ready: boolean) {
  const table = useRef<HTMLTableElement>(null);
  const [path] = useState(() => (typeof window === "undefined" ? "" : window.location.pathname));
  useEffect(() => {
    if (focusedId !== null) left.set(path, focusedId);
  }, [path, focusedId]);
  useEffect(() => {
    shownPath = path;
    if (!ready || !wentBack) return;
    wentBack = false;
    const id = left.get(path);
    if (id === undefined || document.activeElement !== document.body) return;
    rowOf(table.current, id)?.focus({ preventScroll: true });
  }, [path, ready]);
  return table;
}

/** The row with the focus, the open one, and the keys that change them. */
export function useRowFocus<Entry>(
  rows: readonly Entry[],
  idOf: (entry: Entry) => string,
  onRowKey: ((key: string, entry: Entry) => void) | undefined,
) {
  const { shortcuts } = usePreferences().preferences;
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const [expandedId, setExpandedId] = useState<string | null>(null);
  const table = useReturnedFocus(focusedId, rows.length > 0);
  const toggle = useCallback((id: string) => {
    setFocusedId(id);
    setExpandedId((before) => (before === id ? null : id));
  }, []);

  function onKeyDown(event: KeyboardEvent<HTMLTableElement>) {
    const target = event.target as HTMLElement;
    if (!target.matches("tr[data-row]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const letters = shortcuts === "on";
    const ids = rows.map(idOf);
    const at = ids.indexOf(target.dataset.id ?? "");
    const entry = rows[at];
    if (entry === undefined) return;
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
      const row = rowOf(event.currentTarget, ids[Math.min(Math.max(next, 0), rows.length - 1)]!);
      row?.focus({ preventScroll: true });
      // Leaves room for the bars that stick to the top.
      row?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      toggle(idOf(entry));
    } else if (event.key === "Escape" && expandedId !== null) {
      setExpandedId(null);
    } else if (letters) {
      onRowKey?.(event.key, entry);
    }
  }

  const [first] = rows;
  const isFocusedThere = focusedId !== null && rows.some((entry) => idOf(entry) === focusedId);
  const activeId = isFocusedThere ? focusedId : first && idOf(first);
  const actions = useMemo(() => ({ toggle, focus: setFocusedId }), [toggle]);
  return { activeId, expandedId, actions, onKeyDown, table };
}
