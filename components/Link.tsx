"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { openPage } from "./navigation.tsx";
import { type ButtonLook, buttonClass } from "./ui/Button.tsx";
import { usePath } from "./url-state.ts";

/** A path; or changes to the parameters of the page's own URL, of which `""` removes one. */
export type Href = string | Readonly<Record<string, string>>;

interface Rest extends Omit<ComponentProps<typeof NextLink>, "href"> {
  /** Keeps the fragment of the page's own URL. */
  keepsFragment?: boolean | undefined;
}

/** A link to a page of this site that shows a loading bar. Pages are never prefetched. */
export function Link({ href, ...rest }: Rest & { href: Href }) {
  return typeof href === "string" ? (
    <PathLink {...rest} href={href} />
  ) : (
    <ChangeLink {...rest} changes={href} />
  );
}

/** Keeps the scroll position by default. */
function ChangeLink({ changes, ...rest }: Rest & { changes: Record<string, string> }) {
  return <PathLink scroll={false} {...rest} href={changeParameters(usePath(), changes)} />;
}

function PathLink({ href, scroll = true, keepsFragment = false, ...rest }: Rest & { href: string }) {
  return (
    <NextLink
      href={href}
      prefetch={false}
      onNavigate={(event) => {
        event.preventDefault();
        openPage(keepsFragment ? href + window.location.hash : href, scroll);
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
