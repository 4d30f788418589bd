"use client";

import { createContext, type ReactNode, useContext } from "react";
import { isPlainClick } from "#components/plain-click.ts";
import { useRowTabIndex } from "#components/table/row-context.ts";

/** Filters the outputs by a token. */
export const ChooseToken = createContext<(id: string) => void>(() => {});

/** A token's symbol, which filters the outputs by it. In another tab it opens the whole list of the token. */
export function TokenLink({ id, children }: { id: string; children: ReactNode }) {
  const choose = useContext(ChooseToken);
  return (
    <a
      href={`?token=${encodeURIComponent(id)}`}
      tabIndex={useRowTabIndex()}
      title="Show only this token"
      className="min-w-0 max-w-full"
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        choose(id);
      }}
    >
      {children}
    </a>
  );
}
