"use client";

import { usePathname } from "next/navigation";
import type { ChainStatus } from "#lib/client/status.ts";
import { type Account, AccountMenu } from "./AccountMenu.tsx";
import { ChainStatusButton } from "./ChainStatusButton.tsx";
import { ButtonLink, Link } from "./Link.tsx";
import { SearchBox } from "./SearchBox.tsx";

interface Props {
  /** Null unless someone is signed in, like `account`. */
  status: ChainStatus | null;
  mayFollow: boolean;
  account: Account | null;
}

export function Header({ status, mayFollow, account }: Props) {
  // The home page has its own search field.
  const searches = usePathname() !== "/" && account !== null;
  return (
    <header className="top-0 z-30 border-b bg-bg sm:sticky print:hidden">
      <div className="mx-auto flex max-w-[1304px] flex-wrap items-center gap-x-3 px-4 sm:h-14 sm:flex-nowrap sm:px-8 lg:grid lg:grid-cols-[1fr_auto_1fr]">
        <div className="flex items-center gap-x-3 justify-self-start">
          <Link
            href="/"
            className="flex h-14 min-w-6 items-center gap-2.5 font-semibold text-text no-underline"
          >
            <Logo />
            {/* The placeholder of the search field needs the room. */}
            <span className={`whitespace-nowrap ${searches ? "max-md:sr-only" : "max-sm:sr-only"}`}>
              Asset Query Service
            </span>
          </Link>
          {account && (
            <nav aria-label="Site" className={`flex max-sm:hidden ${searches ? "max-lg:hidden" : ""}`}>
              {mayFollow && <SiteLink href="/blocks/range">Range</SiteLink>}
              <SiteLink href="/docs">API</SiteLink>
            </nav>
          )}
        </div>
        {searches && (
          // Wide windows have it in the middle, like the results.
          <div className="order-last w-full pb-2 sm:order-none sm:w-auto sm:flex-1 sm:pb-0 lg:w-140">
            <SearchBox variant="header" />
          </div>
        )}
        <div
          className={`flex items-center gap-2 justify-self-end lg:col-start-3 ${searches ? "max-sm:ml-auto" : "ml-auto"}`}
        >
          {status && <ChainStatusButton initial={status} mayFollow={mayFollow} />}
          <AccountMenu account={account} mayFollow={mayFollow} />
        </div>
      </div>
    </header>
  );
}

const SiteLink = (props: { href: string; children: string }) => (
  <ButtonLink {...props} tone="bare" size="narrow" />
);

/** Shows four outputs, two of them spent. */
const Logo = () => (
  <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" fill="none">
    <rect width="20" height="20" rx="6" fill="var(--color-accent)" />
    <rect x="4.5" y="4.5" width="4.5" height="4.5" rx="1.25" fill="var(--color-bg)" />
    <rect x="11" y="11" width="4.5" height="4.5" rx="1.25" fill="var(--color-bg)" />
    <rect x="11" y="4.5" width="4.5" height="4.5" rx="1.25" fill="var(--color-bg)" opacity=".4" />
    <rect x="4.5" y="11" width="4.5" height="4.5" rx="1.25" fill="var(--color-bg)" opacity=".4" />
  </svg>
);
