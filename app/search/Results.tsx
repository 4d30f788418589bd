"use client";

import type { ReactNode } from "react";
import { FoundRow } from "#components/FoundRow.tsx";
import { Link } from "#components/Link.tsx";
import { useLabelled } from "#components/labels.tsx";
import { bareText } from "#lib/client/detect.ts";
import { countOf } from "#lib/client/format.ts";
import type { SearchResult } from "#lib/client/search.ts";

interface Props {
  found: readonly SearchResult[];
  text: string;
  /** Notes on the search, which are left out if only labels contain the text. */
  children: ReactNode;
}

/** The results for a text, after addresses whose label contains it. */
export function Results({ found, text, children }: Props) {
  const results = [...useLabelled(text.trim()), ...found];
  if (results.length === 0) return children;
  return (
    <>
      {found.length > 0 && children}
      <p className="mb-2 text-text-2">{countOf(results.length, "result")}</p>
      <ul className="-mx-3">
        {results.map((found, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no state
          <li key={at} className="border-b last:border-0">
            <Link
              href={found.href}
              className="flex min-h-11 items-center rounded-md px-3 py-1.5 no-underline hover:bg-sunken"
            >
              <FoundRow found={found} sought={bareText(text)} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
