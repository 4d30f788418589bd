"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { type Changes, openPage } from "./navigation.tsx";
import { type ButtonLook, buttonClass } from "./ui/Button.tsx";
import { usePath } from "./url-state.ts";

export type Href = string | Changes;

interface Rest extends Omit<ComponentProps<typeof NextLink>, "href"> {
  /** Keeps the fragment of the page's own URL. */
  keepsFragment?: boolean;
}

/** A link to a page of this site that shows a loading bar. Pages are never prefetched. Changes of parameters keep the scroll position. */
export function Link({
  href: to,
  scroll = typeof to === "string",
  keepsFragment,
  ...rest
}: Rest & { href: Href }) {
  const path = usePath();
  return (
    <NextLink
      href={typeof to === "string" ? to : changeParameters(path, to)}
      prefetch={false}
      onNavigate={(event) => {
        event.preventDefault();
        openPage(to, { scroll, keepsFragment });
      }}
      {...rest}
    />
  );
}

interface ButtonLinkProps extends Omit<ComponentProps<typeof Link>, "href">, ButtonLook {
  href: Href | null;
}

export function ButtonLink({ href, tone, size, className, ...rest }: ButtonLinkProps) {
  const look = buttonClass({ tone, size }, className);
  if (href !== null) return <Link {...rest} href={href} className={look} />;
  return (
    // biome-ignore lint/a11y/useValidAnchor: a disabled link has no target
    <a role="link" aria-disabled="true" aria-label={rest["aria-label"]} className={look}>
      {rest.children}
    </a>
  );
}
