"use client";

import { createContext, type ReactNode, useContext } from "react";
import { Link } from "#components/Link.tsx";
import { useRowTabIndex } from "#components/table/row-context.ts";

/** Filters the outputs by a token. */
export const ChooseToken = createContext<(id: string) => void>(() => {});

/** A token's symbol, which filters the outputs by it. In another tab it opens the whole list of the token. */
export function TokenLink({ id, children }: { id: string; children: ReactNode }) {
  const choose = useContext(ChooseToken);
  return (
    <Link
      href={`?token=${encodeURIComponent(id)}`}
      tabIndex={useRowTabIndex()}
      title="Show only this token"
      className="min-w-0 max-w-full"
      onNavigate={(event) => {
        event.preventDefault();
        choose(id);
      }}
    >
      {children}
    </Link>
  );
}
