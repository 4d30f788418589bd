"use client";

import { lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { MoreIcon, RightIcon } from "./icons.tsx";
import { Link } from "./Link.tsx";
import { RowContext, useRowTabIndex } from "./row-context.ts";

/** Opens and closes what a row has to say beyond its columns. */
export function ExpandButton({ label }: { label: string }) {
  const row = useContext(RowContext);
  return (
    <button
      type="button"
      className="copy"
      tabIndex={useRowTabIndex()}
      aria-expanded={row?.expanded ?? false}
      aria-label={`Details of ${label}`}
      onClick={() => row?.toggle()}
    >
      <span className={row?.expanded ? "rotate-90" : ""}>
        <RightIcon />
      </span>
    </button>
  );
}

export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} tabIndex={useRowTabIndex()}>
      {children}
    </Link>
  );
}

export interface MenuItem {
  label: string;
  /** Copied when chosen. */
  copy: () => string;
}

const OpenCopyMenu = lazy(() => import("./OpenCopyMenu.tsx"));

/** Ways to copy a row. The menu itself is fetched when it is first asked for. */
export function CopyMenu({ label, items }: { label: string; items: MenuItem[] }) {
  const [asked, setAsked] = useState(false);
  const tabIndex = useRowTabIndex();
  const button = (
    <button
      type="button"
      className="copy"
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={() => setAsked(true)}
    >
      <MoreIcon />
    </button>
  );
  if (!asked) return button;
  return (
    <Suspense fallback={button}>
      <OpenCopyMenu label={label} items={items} tabIndex={tabIndex} />
    </Suspense>
  );
}
