"use client";

import { usePathname, useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { Link } from "./Link.tsx";

interface Props {
  filter: Record<string, string>;
  className?: string;
  children: ReactNode;
}

/** A link to the current view with another filter. */
export function FilterLink({ filter, className = "truncate", children }: Props) {
  const path = `${usePathname()}?${useSearchParams()}`;
  return (
    <Link href={changeParameters(path, filter)} scroll={false} className={className}>
      {children}
    </Link>
  );
}
