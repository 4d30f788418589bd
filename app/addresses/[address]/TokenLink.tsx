"use client";

import { createContext, type ReactNode, useContext } from "react";
import { Link } from "#components/Link.tsx";
import { useRowTabIndex } from "#components/table/row-context.ts";
import { terms } from "#terms";

export const ChooseToken = createContext<(id: string) => void>(() => {});

/** Filters the outputs by a token. In another tab it opens the filtered outputs. */
export function TokenLink({ id, children }: { id: string; children: ReactNode }) {
  const choose = useContext(ChooseToken);
  const tabIndex = useRowTabIndex();
  if (!terms.hasTokens) return children;
  return (
    <Link
      href={`?token=${encodeURIComponent(id)}`}
      tabIndex={tabIndex}
      title="Show only this token"
      className="flex min-h-6 max-w-full shrink-0 items-center max-sm:relative max-sm:z-1"
      onNavigate={(event) => {
        event.preventDefault();
        choose(id);
      }}
    >
      {children}
    </Link>
  );
}
