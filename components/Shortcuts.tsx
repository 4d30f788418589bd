"use client";

import { Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { preferences as choices } from "#lib/client/preferences.ts";
import { lazyPart } from "./lazy-part.tsx";
import { hasModifier } from "./modifier.ts";
import { openPage } from "./navigation.tsx";
import { usePreferences } from "./Preferences.tsx";
import { Button } from "./ui/Button.tsx";

const ShortcutHelp = lazyPart("The help", () => import("./ShortcutHelp.tsx"));
const PAIR_MS = 1000;

/** Event that opens the help. It cannot be rendered by its button, which is in a popover that closes. */
const HELP = "shortcut-help";

export function ShortcutsButton() {
  return (
    <Button tone="bare" size="narrow" onClick={() => window.dispatchEvent(new Event(HELP))}>
      Shortcuts
    </Button>
  );
}

/** Handles Ctrl-K and single keys. Controls name their key in `data-shortcut`. Single keys do nothing in fields, dialogs and menus. */
export function Shortcuts() {
  const { preferences, choose } = usePreferences();
  const first = useRef({ key: "", at: 0 });
  const [help, setHelp] = useState(false);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      if (press("/")) event.preventDefault();
      return;
    }
    if (preferences.shortcuts === "off") return;
    if (event.defaultPrevented || hasModifier(event)) return;
    if (target.closest("input, select, textarea, [contenteditable], dialog, [role=dialog], [role=menu]"))
      return;
    const { key } = event;
    // The arrows scroll a strip that has the focus, and with Shift they extend a selection.
    if ((event.shiftKey || target.matches(".scrolls-sideways")) && key.startsWith("Arrow")) return;
    const pair = Date.now() - first.current.at < PAIR_MS ? first.current.key + key : key;
    first.current = { key, at: Date.now() };
    if (pair === "gh") openPage("/");
    else if (key === "?") setHelp(true);
    else if (key === "t") choose("theme", nextTheme(preferences.theme));
    else if (key === "j" || key === "k") focusTable(target);
    else if (!press(key)) return;
    event.preventDefault();
  });
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    window.addEventListener("keydown", onKeyDown, { signal });
    window.addEventListener(HELP, () => setHelp(true), { signal });
    return () => ended.abort();
  }, []);
  return (
    help && (
      <Suspense>
        <ShortcutHelp onClose={() => setHelp(false)} />
      </Suspense>
    )
  );
}

function nextTheme(theme: (typeof choices.theme)[number]) {
  const at = choices.theme.indexOf(theme);
  return choices.theme[(at + 1) % choices.theme.length] ?? "system";
}

/** Moves the focus into the table, which handles the keys itself once it has the focus. */
function focusTable(target: HTMLElement) {
  if (target.closest("tr[data-row]")) return;
  document.querySelector<HTMLElement>('tr[data-row][tabindex="0"]')?.focus();
}

function press(key: string): boolean {
  const found = document.querySelectorAll<HTMLElement>(`[data-shortcut="${CSS.escape(key)}"]`);
  // The page's field takes precedence over the header's.
  const element = [...found].filter((one) => one.checkVisibility()).at(-1);
  if (!element) return false;
  if (!(element instanceof HTMLInputElement)) element.click();
  else {
    element.focus();
    element.select();
  }
  return true;
}
