"use client";

import { type KeyboardEvent, type ReactNode, useContext, useLayoutEffect, useRef, useState } from "react";
import { copyAndSay } from "#components/copy.ts";
import { MoreIcon, RightIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { hasModifier } from "#components/modifier.ts";
import { IconButton } from "#components/ui/IconButton.tsx";
import { MENU, MENU_ITEM } from "#components/ui/Popover.tsx";
import { formatCount } from "#lib/client/format.ts";
import { RowContext, useRowFacts, useRowTabIndex } from "./row-context.ts";

export function ExpandButton({ label }: { label: string }) {
  const row = useContext(RowContext);
  return (
    <IconButton
      tabIndex={useRowTabIndex()}
      aria-expanded={row?.expanded ?? false}
      aria-label={`Details of ${label}`}
      onClick={() => row?.toggle()}
    >
      <span className={row?.expanded ? "rotate-90" : ""}>
        <RightIcon />
      </span>
    </IconButton>
  );
}

/** Shows the row's number and opens the row. `before` in the row facts is the number of rows before the loaded ones; null if unknown. */
export function RowPlace({ at, noun }: { at: number; noun: string }) {
  const { before } = useRowFacts<{ before: number | null }>();
  const place = formatCount((before ?? 0) + at + 1);
  return (
    <span className="flex items-center justify-between text-text-3">
      <ExpandButton label={`${noun} ${place}`} />
      {before !== null && <span className="max-lg:hidden">{place}</span>}
    </span>
  );
}

export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} tabIndex={useRowTabIndex()}>
      {children}
    </Link>
  );
}

interface CopyMenuProps {
  label: string;
  items: () => readonly (readonly [name: string, text: string])[];
}

export function CopyMenu({ label, items }: CopyMenuProps) {
  const [button, setButton] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        tabIndex={useRowTabIndex()}
        aria-haspopup="menu"
        aria-expanded={button !== null}
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
        onClick={({ currentTarget }) => setButton(currentTarget)}
      >
        <MoreIcon />
      </IconButton>
      {button && <Menu label={label} items={items} button={button} onClose={() => setButton(null)} />}
    </>
  );
}

interface MenuProps extends CopyMenuProps {
  button: HTMLElement;
  onClose: () => void;
}

/** The open menu. Its arrow keys wrap around; closing it returns the focus to the button. */
function Menu({ label, items, button, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    menu.current?.showPopover({ source: button });
    menu.current?.querySelector("button")?.focus();
  }, [button]);
  function onKeyDown(event: KeyboardEvent) {
    if (hasModifier(event)) return;
    const all = [...(menu.current?.querySelectorAll("button") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    if (event.key === "Tab") menu.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  }
  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={`Copy ${label}`}
      className={`${MENU} inset-auto m-0 my-1 min-w-50 text-start [position-area:bottom_span-left] [position-try-fallbacks:flip-block]`}
      onKeyDown={onKeyDown}
      onToggle={({ newState }) => newState === "closed" && onClose()}
    >
      <p aria-hidden="true" className="px-2.5 py-1 text-text-3 text-xs">
        Copy
      </p>
      {items().map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={`${MENU_ITEM} block w-full cursor-default text-start outline-hidden hover:bg-sunken focus-visible:bg-sunken pointer-coarse:py-3`}
          onClick={() => {
            void copyAndSay(text, name);
            menu.current?.hidePopover();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
