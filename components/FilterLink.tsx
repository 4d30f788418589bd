"use client";

import type { ReactNode } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { Link } from "./Link.tsx";
import { usePath } from "./url-state.ts";

interface Props {
  filter: Record<string, string>;
  className?: string;
  children: ReactNode;
}

export function FilterLink({ filter, className = "truncate", children }: Props) {
  const path = usePath();
  return (
    <Link href={changeParameters(path, filter)} scroll={false} className={className}>
      {children}
    </Link>
  );
}
