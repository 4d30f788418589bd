"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { openPage } from "./navigation.tsx";

interface Props extends Omit<ComponentProps<typeof NextLink>, "href"> {
  href: string;
}

/** A link to a page of this site, which shows that the page is loading. No page here needs a prefetch. */
export function Link({ href, scroll = true, ...rest }: Props) {
  return (
    <NextLink
      href={href}
      prefetch={false}
      onNavigate={(event) => {
        event.preventDefault();
        openPage(href, scroll);
      }}
      {...rest}
    />
  );
}
