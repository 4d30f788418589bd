"use client";

import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { changeUrlState, textField } from "#lib/client/url-state.ts";
import { Link } from "./Link.tsx";

interface Props {
  /** Parameters of the address bar; `""` takes one out. */
  filter: Record<string, string>;
  children: ReactNode;
}

/** A link to the view as it is now, but for its filter. */
export function FilterLink({ filter, children }: Props) {
  const fields = Object.fromEntries(Object.keys(filter).map((name) => [name, textField]));
  return (
    <Link
      href={changeUrlState(fields, useSearchParams().toString(), filter)}
      scroll={false}
      className="truncate"
    >
      {children}
    </Link>
  );
}
