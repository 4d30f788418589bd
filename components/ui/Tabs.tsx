"use client";

import type { ReactNode } from "react";
import { Link } from "#components/Link.tsx";

export interface TabOf {
  href: string;
  title: string;
  count?: string | undefined;
  current: boolean;
}

interface Props {
  label: string;
  tabs: readonly TabOf[];
  children?: ReactNode;
}

/** A strip that scrolls sideways. Its fading edge hints at more. */
export const SCROLLS_SIDEWAYS =
  "overflow-x-auto pe-6 [mask-image:linear-gradient(to_left,transparent,#000_24px)] [scrollbar-width:none]";

/** Parts of a page as links. Narrow windows scroll the current one into view. */
export function Tabs({ label, tabs, children }: Props) {
  return (
    <div className="flex flex-wrap items-end gap-x-4 border-b print:hidden">
      <nav aria-label={label} className={`-mb-px flex min-w-0 gap-6 ${SCROLLS_SIDEWAYS}`}>
        {tabs.map(({ href, title, count, current }) => (
          <Link
            key={href}
            href={href}
            scroll={false}
            aria-current={current ? "page" : undefined}
            ref={current ? intoView : undefined}
            className="flex min-h-11 flex-none items-center gap-1.5 rounded-t-md border-transparent border-b-2 font-medium text-text-2 no-underline -outline-offset-2 hover:text-text aria-[current]:border-text aria-[current]:text-text"
          >
            {title}
            {count && <span className="font-normal text-text-3">{count}</span>}
          </Link>
        ))}
      </nav>
      {children && <div className="-me-3 ml-auto flex items-center gap-1 py-1.5">{children}</div>}
    </div>
  );
}

/** Scrolls the strip, but never the window. */
function intoView(link: HTMLAnchorElement | null) {
  const strip = link?.parentElement;
  if (link && strip) strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
}
