"use client";

import { Link } from "#components/Link.tsx";
import { Section } from "#components/ui/Section.tsx";
import { useStored } from "#components/use-stored.ts";
import { countOf } from "#lib/client/format.ts";
import { ADDRESS, savedWallets, walletPage } from "#lib/client/wallet.ts";

/** The wallets of this browser; nothing if there are none. */
export function SavedWallets() {
  const wallets = useStored(savedWallets);
  if (wallets.length === 0) return null;
  return (
    <Section title="Wallets">
      <ul className="divide-y">
        {wallets.map(({ name, addresses }) => (
          <li key={name} className="flex min-h-11 items-center justify-between gap-4">
            <Link
              href={walletPage(addresses)}
              className="inline-flex min-h-11 min-w-0 items-center text-text"
            >
              <bdi className="truncate">{name}</bdi>
            </Link>
            <span className="whitespace-nowrap text-text-2">{countOf(addresses.length, ADDRESS)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
