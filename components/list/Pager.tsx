"use client";

import type { FormEvent, ReactNode } from "react";
import { ButtonLink } from "#components/Link.tsx";
import { Field } from "#components/ui/Field.tsx";
import { formatCount } from "#lib/client/format.ts";
import { pageParameter } from "#lib/client/url-state.ts";

interface Props {
  list: {
    view: { page: number };
    /** The page of the rows. */
    shown: { page: number };
    pageCount: number;
    /** Number of rows on the pages before the shown one. */
    before: number;
    rows: readonly unknown[];
    total: number;
    prefetch: (page: number) => void;
  };
  label: string;
  onPage: (page: number) => void;
}

/** Page links, which also open in new tabs. */
export function Pager({ list, label, onPage }: Props) {
  const { pageCount, before, total } = list;
  const { page } = list.view;
  const shown = list.shown.page;
  const [first, last] = [before + 1, before + list.rows.length].map((at) => formatCount(Math.min(at, total)));
  const range = total === 0 ? "0" : `${first}–${last} of ${formatCount(total)}`;
  if (pageCount === 1) return <p className="text-text-2">{range}</p>;

  function jump(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("page") as HTMLInputElement;
    const digits = field.value.replaceAll(/[,\s]/g, "");
    const wanted = /^\d+$/.test(digits) ? Math.min(Math.max(Number(digits), 1), pageCount) : shown;
    field.value = String(wanted);
    if (wanted !== shown) onPage(wanted);
  }

  const shared = { onPage, onNear: list.prefetch };
  return (
    <nav aria-label={label} className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="flex gap-1">
        <PageLink to={1} enabled={page > 1} className="max-sm:hidden" {...shared}>
          « First<span className="sr-only"> page</span>
        </PageLink>
        <PageLink to={Math.min(page - 1, pageCount)} enabled={page > 1} shortcut="[" {...shared}>
          ‹ Prev<span className="sr-only"> page</span>
        </PageLink>
      </span>
      <span className="text-text-2 max-sm:hidden">{range}</span>
      <form onSubmit={jump} className="flex items-center gap-2 text-text-2">
        <span aria-hidden="true" className="max-sm:hidden">
          page
        </span>
        <Field
          key={shown}
          name="page"
          defaultValue={shown}
          inputMode="numeric"
          size="narrow"
          className="w-14 text-center"
          aria-label="Page"
        />
        <span>of {formatCount(pageCount)}</span>
      </form>
      <span className="flex gap-1">
        <PageLink to={page + 1} enabled={page < pageCount} shortcut="]" {...shared}>
          Next<span className="sr-only"> page</span> ›
        </PageLink>
        <PageLink to={pageCount} enabled={page < pageCount} className="max-sm:hidden" {...shared}>
          Last<span className="sr-only"> page</span> »
        </PageLink>
      </span>
    </nav>
  );
}

interface LinkProps {
  to: number;
  enabled: boolean;
  className?: string;
  shortcut?: string;
  onPage: (page: number) => void;
  onNear: (page: number) => void;
  children: ReactNode;
}

function PageLink({ to, enabled, className, shortcut, onPage, onNear, children }: LinkProps) {
  return (
    <ButtonLink
      href={enabled ? pageParameter(to) : null}
      size="narrow"
      className={className}
      data-shortcut={shortcut}
      onPointerEnter={() => onNear(to)}
      onFocus={() => onNear(to)}
      onNavigate={(event) => {
        event.preventDefault();
        onPage(to);
      }}
    >
      {children}
    </ButtonLink>
  );
}
