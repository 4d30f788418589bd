"use client";

import { createContext, type ReactNode, useContext } from "react";
import { Link } from "#components/Link.tsx";
import { useRowTabIndex } from "#components/table/row-context.ts";
import { terms } from "#terms";

/** Shows the list of one token. `changes` are the parameters of its page. */
interface TokenChoice {
  changes(id: string): Readonly<Record<string, string>>;
  choose(id: string): void;
}

export const ChooseToken = createContext<TokenChoice>({ changes: () => ({}), choose: () => {} });

/** Filters the outputs, or the statement, by a token. In another tab it opens the filtered outputs. */
export function TokenLink({ id, children }: { id: string; children: ReactNode }) {
  const { changes, choose } = useContext(ChooseToken);
  const tabIndex = useRowTabIndex();
  if (!terms.hasTokens) return children;
  return (
    <Link
      href={changes(id)}
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
