"use client";

import { type ReactNode, useId } from "react";
import { MoreIcon } from "#components/icons.tsx";
import { type Href, Link } from "#components/Link.tsx";
import { IconButton } from "./IconButton.tsx";
import { MENU } from "./Popover.tsx";

export interface TabOf {
  href: Href;
  title: string;
  count?: string | undefined;
  current: boolean;
}

interface Props {
  label: string;
  tabs: readonly TabOf[];
  className?: string;
  children?: ReactNode;
}

/** Parts of a page as links, and actions on the current one. Phones scroll it into view, and have the actions in a menu. */
export function Tabs({ label, tabs, className = "", children }: Props) {
  const id = useId();
  return (
    <div className={`flex items-end gap-x-4 border-b sm:flex-wrap print:hidden ${className}`}>
      <nav aria-label={label} className="scrolls-sideways -mb-px flex min-w-0 gap-6">
        {tabs.map(({ href, title, count, current }) => (
          <Link
            key={JSON.stringify(href)}
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
      {children && (
        <div className="ml-auto flex-none sm:-me-3 sm:py-1.5">
          <IconButton className="sm:hidden" popoverTarget={id} aria-label="More actions">
            <MoreIcon />
          </IconButton>
          {/* One markup for both, because dialogs that it opens must not close when the window becomes wider. */}
          <div
            id={id}
            popover="auto"
            className={`max-sm:m-0 max-sm:[position-area:block-end_span-inline-start] sm:static sm:flex sm:items-center sm:gap-1 sm:overflow-visible sm:border-0 sm:bg-transparent sm:p-0 sm:shadow-none ${MENU}`}
          >
            {children}
          </div>
        </div>
      )}
    </div>
  );
}

/** Scrolls the strip, but never the window. */
function intoView(link: HTMLAnchorElement | null) {
  const strip = link?.parentElement;
  if (link && strip) strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
}
