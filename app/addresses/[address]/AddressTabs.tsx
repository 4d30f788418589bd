"use client";

import type { ReactNode, Ref } from "react";
import { Button } from "#components/ui/Button.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import type { PanelName } from "./panels.ts";

export interface Tab {
  name: PanelName;
  /** Names the panel, and its tab unless that has a longer label. */
  title: string;
  label?: ReactNode;
  content: ReactNode;
}

interface Props {
  tabs: readonly Tab[];
  open: PanelName | "";
  onOpen: (panel: PanelName | "") => void;
  /** Of the open panel, to move the focus there. */
  panel: Ref<HTMLDivElement>;
  /** After the tabs, in their row. */
  last?: ReactNode;
  /** Beside the tabs. */
  children?: ReactNode;
}

const PANEL_ID = "about-address";

/** One row of tabs. All are closed at first, so that the list below begins at once. */
export function AddressTabs({ tabs, open, onOpen, panel, last, children }: Props) {
  const shown = tabs.find(({ name }) => name === open);
  return (
    <div className="print:hidden">
      <div className="flex min-w-0 gap-x-4 gap-y-1 max-lg:flex-col lg:items-center">
        <div className="flex min-w-0 gap-1.5 overflow-x-auto [scrollbar-width:none] lg:flex-none">
          {tabs.map(({ name, title, label = title }) => (
            <Button
              key={name}
              size="narrow"
              className="flex-none aria-expanded:border-accent aria-expanded:bg-accent-bg aria-expanded:text-accent"
              aria-expanded={open === name}
              aria-controls={open === name ? PANEL_ID : undefined}
              onClick={() => onOpen(open === name ? "" : name)}
            >
              {label}
            </Button>
          ))}
          {last}
        </div>
        {children}
      </div>
      {shown && (
        <Panel
          as="section"
          id={PANEL_ID}
          ref={panel}
          tabIndex={-1}
          aria-label={shown.title}
          className="mt-2 scroll-mt-14 overflow-clip"
        >
          {shown.content}
        </Panel>
      )}
    </div>
  );
}
