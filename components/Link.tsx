"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { openPage } from "./navigation.tsx";
import { type ButtonLook, buttonClass } from "./ui/Button.tsx";

interface Props extends Omit<ComponentProps<typeof NextLink>, "href"> {
  href: string;
}

/** A link to a page of this site that shows a loading bar. Pages are never prefetched. */
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

interface ButtonLinkProps extends Omit<ComponentProps<typeof Link>, "href">, ButtonLook {
  href: string | null;
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
