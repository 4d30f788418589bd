"use client";

import type { ComponentProps } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { openPage } from "./navigation.tsx";
import { isPlainClick } from "./plain-click.ts";

interface Props extends ComponentProps<"a"> {
  href: string;
  /** False keeps the scroll position. */
  scroll?: boolean;
}

/**
 * A link to a page of this site. A plain click keeps the layout; the browser handles every other click. The
 * framework's own link also prefetches, which no page here needs, and its code would load on every page.
 */
export function Link({ href, scroll = true, ...rest }: Props) {
  return (
    <a
      {...rest}
      href={withBase(href)}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        openPage(href, scroll);
      }}
    />
  );
}
