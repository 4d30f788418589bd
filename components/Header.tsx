import type { ChainStatus } from "#lib/client/status.ts";
import { type Account, AccountMenu } from "./AccountMenu.tsx";
import { ChainStatusButton } from "./ChainStatusButton.tsx";
import { Link } from "./Link.tsx";
import { PreferenceSelect } from "./Preferences.tsx";
import { SearchBox } from "./SearchBox.tsx";

interface Props {
  /** Null if nobody is signed in, like `account`. */
  status: ChainStatus | null;
  mayFollow: boolean;
  account: Account | null;
}

export function Header({ status, mayFollow, account }: Props) {
  return (
    <header className="print:hidden top-0 z-30 sm:sticky border-border border-b bg-surface">
      <div className="mx-auto flex max-w-[1440px] flex-wrap items-center gap-x-3 px-4 sm:h-12 sm:flex-nowrap sm:px-6">
        <Link href="/" className="flex h-14 items-center gap-2 font-semibold sm:h-12 text-text no-underline">
          <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" fill="none">
            <rect x="1" y="1" width="8" height="8" rx="2" fill="var(--color-accent)" />
            <rect x="11" y="1" width="8" height="8" rx="2" stroke="var(--color-accent)" strokeWidth="1.5" />
            <rect x="1" y="11" width="8" height="8" rx="2" stroke="var(--color-accent)" strokeWidth="1.5" />
            <rect x="11" y="11" width="8" height="8" rx="2" fill="var(--color-accent)" />
          </svg>
          <span className="whitespace-nowrap max-md:sr-only">Asset Query Service</span>
        </Link>
        {account && (
          <div className="order-last w-full pb-2 sm:order-none sm:w-auto sm:max-w-xl sm:flex-1 sm:pb-0">
            <SearchBox variant="header" />
          </div>
        )}
        <div className="ml-auto flex items-center gap-2">
          <Link href="/docs" className="whitespace-nowrap text-text-2 max-md:hidden">
            API reference
          </Link>
          {status && <ChainStatusButton initial={status} mayFollow={mayFollow} />}
          {/* In narrower windows it stands in the footer, and leaves its place to the search. */}
          <span className="max-lg:hidden">
            <PreferenceSelect name="theme" label="Theme" />
          </span>
          {account && <AccountMenu account={account} />}
        </div>
      </div>
    </header>
  );
}
