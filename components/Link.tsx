"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { useIsClosed } from "./closed-pages.ts";
import { type Changes, openPage } from "./navigation.tsx";
import { type ButtonLook, buttonClass } from "./ui/Button.tsx";
import { usePath } from "./url-state.ts";

export type Href = string | Changes;

interface Rest extends Omit<ComponentProps<typeof NextLink>, "href"> {
  /** Keeps the fragment of the page's own URL. */
  keepsFragment?: boolean;
}

/**
 * A link to a page of this site that shows a loading bar. Pages are never prefetched. Changes of parameters keep the scroll position.
 * If the reader may not open the page, only the text is there.
 */
export function Link({ href, ...rest }: Rest & { href: Href }) {
  return typeof href === "string" ? <PathLink {...rest} path={href} /> : <ChangeLink {...rest} to={href} />;
}

function PathLink({ path, ...rest }: Rest & { path: string }) {
  if (!useIsClosed(path)) return <PlainLink {...rest} to={path} href={path} />;
  const { className = "", title, children } = rest;
  return (
    <span className={`${className} no-underline!`} title={title}>
      {children}
    </span>
  );
}

/** Only this one renders again when the address bar follows the reader. */
function ChangeLink({ to, ...rest }: Rest & { to: Changes }) {
  return <PlainLink {...rest} to={to} href={changeParameters(usePath(), to)} />;
}

function PlainLink({ to, scroll, keepsFragment, ...rest }: Rest & { to: Href; href: string }) {
  return (
    <NextLink
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
  const isClosed = useIsClosed(typeof href === "string" ? href : "");
  if (href !== null && !isClosed) return <Link {...rest} href={href} className={look} />;
  return (
    // biome-ignore lint/a11y/useValidAnchor: a disabled link has no target
    <a role="link" aria-disabled="true" aria-label={rest["aria-label"]} className={look}>
      {rest.children}
    </a>
  );
}
