"use client";

import { usePathname, useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { changeUrlState, textField } from "#lib/client/url-state.ts";
import { Link } from "./Link.tsx";

interface Props {
  /** URL parameters; `""` removes one. */
  filter: Record<string, string>;
  children: ReactNode;
}

/** A link to the current view with another filter. */
export function FilterLink({ filter, children }: Props) {
  // A link to nothing would lead nowhere.
  const path = usePathname();
  const fields = Object.fromEntries(Object.keys(filter).map((name) => [name, textField]));
  return (
    <Link
      href={changeUrlState(fields, useSearchParams().toString(), filter) || path}
      scroll={false}
      className="truncate"
    >
      {children}
    </Link>
  );
}
