"use client";

import { FoundRow } from "#components/FoundRow.tsx";
import { ButtonLink, Link } from "#components/Link.tsx";
import { formatCount } from "#lib/client/format.ts";
import type { SearchResult } from "#lib/client/search.ts";

interface Props {
  results: readonly SearchResult[];
  sought: string;
}

/** What was found, each a link to its page. A transaction has none: its block has. */
export function Results({ results, sought }: Props) {
  return (
    <ul className="-mx-3">
      {results.map((found, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
        <li key={at} className="border-b last:border-0">
          {found.kind === "transaction" ? (
            <div className="flex min-h-11 flex-wrap items-center gap-x-3 px-3 py-1.5">
              <FoundRow found={found} />
              {found.block && (
                <ButtonLink href={`/blocks/${found.block.hash}`}>
                  Open block {formatCount(found.block.height)}
                </ButtonLink>
              )}
            </div>
          ) : (
            <Link
              href={found.href}
              className="flex min-h-11 items-center rounded-md px-3 py-1.5 no-underline hover:bg-sunken"
            >
              <FoundRow found={found} sought={sought} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
