"use client";

import type { ComponentProps } from "react";
import { openPage } from "./navigation.tsx";
import { isPlainClick } from "./plain-click.ts";

interface Props extends ComponentProps<"a"> {
  href: string;
  /** False leaves the window where it is. */
  scroll?: boolean;
}

/**
 * A link within the pages: a plain click keeps the frame of the page, any other one is the browser's. The
 * framework's own also looks ahead, which no page here wants, and costs every page its code.
 */
export function Link({ href, scroll = true, ...rest }: Props) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        openPage(href, scroll);
      }}
    />
  );
}
