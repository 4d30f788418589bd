import type { ReactNode } from "react";
import { pageParameter } from "#lib/client/url-state.ts";
import { ButtonLink } from "./Link.tsx";

interface Props {
  label: string;
  /** Number of the shown page, from 1. */
  page: number;
  pages: number;
  /** Says which rows are shown. */
  children: ReactNode;
}

/** Links to the pages before and after one of a table that the server renders. A single page has only the sentence. */
export const PageLinks = ({ label, page, pages, children }: Props) => (
  <div className="flex flex-wrap items-center gap-3 py-3">
    {pages > 1 && (
      <nav aria-label={label} className="flex gap-1">
        <ButtonLink href={page > 1 ? pageParameter(page - 1) : null} scroll size="narrow" data-shortcut="[">
          ‹ Prev<span className="sr-only"> page</span>
        </ButtonLink>
        <ButtonLink
          href={page < pages ? pageParameter(page + 1) : null}
          scroll
          size="narrow"
          data-shortcut="]"
        >
          Next<span className="sr-only"> page</span> ›
        </ButtonLink>
      </nav>
    )}
    <p className="text-text-2">{children}</p>
  </div>
);
