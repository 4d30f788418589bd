"use client";

import { type ReactNode, Suspense, useContext, useState } from "react";
import { MoreIcon, RightIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { RowContext, useRowTabIndex } from "./row-context.ts";

/** Opens and closes what a row has to say beyond its columns. */
export function ExpandButton({ label }: { label: string }) {
  const row = useContext(RowContext);
  return (
    <IconButton
      tabIndex={useRowTabIndex()}
      aria-expanded={row?.expanded ?? false}
      aria-label={`Details of ${label}`}
      onClick={() => row?.toggle()}
    >
      <span className={row?.expanded ? "rotate-90" : ""}>
        <RightIcon />
      </span>
    </IconButton>
  );
}

export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} tabIndex={useRowTabIndex()}>
      {children}
    </Link>
  );
}

interface CopyMenuProps {
  label: string;
  /** The menu itself, opened: fetched when it is first asked for. */
  menu: (props: { label: string; tabIndex: number | undefined }) => ReactNode;
}

/** Ways to copy a row. */
export function CopyMenu({ label, menu }: CopyMenuProps) {
  const [asked, setAsked] = useState(false);
  const tabIndex = useRowTabIndex();
  const button = (
    <IconButton
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={() => setAsked(true)}
    >
      <MoreIcon />
    </IconButton>
  );
  if (!asked) return button;
  return <Suspense fallback={button}>{menu({ label, tabIndex })}</Suspense>;
}
