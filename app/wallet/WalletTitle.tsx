"use client";

import { Suspense, useEffect, useState } from "react";
import { AddressLink } from "#components/Address.tsx";
import { AddressIcon } from "#components/icons.tsx";
import { Modal } from "#components/Modal.tsx";
import { Button } from "#components/ui/Button.tsx";
import { AnchoredPopover } from "#components/ui/Popover.tsx";
import { useStored } from "#components/use-stored.ts";
import { capitalised, countOf, formatCount } from "#lib/client/format.ts";
import { ADDRESS, savedWallets, walletWith, withWallet } from "#lib/client/wallet.ts";
import { Editor } from "./Editor.tsx";

/** The most addresses below the wallet's name. If there are more, one gives way to their count. */
const NAMED = 3;

interface Props {
  /** In their canonical forms. */
  addresses: readonly string[];
  /** As the link has them. */
  given: readonly string[];
}

/** The name of the wallet in this browser, its first addresses, and a button to edit it. */
export function WalletTitle({ addresses, given }: Props) {
  const wallets = useStored(savedWallets);
  const saved = walletWith(wallets, addresses);
  const old = saved ? undefined : walletWith(wallets, given);
  // The editor keeps addresses as they were typed, because only the server knows their canonical forms.
  useEffect(() => {
    if (old) savedWallets.write(withWallet(wallets, { ...old, addresses: [...addresses] }, given));
  }, [old, wallets, addresses, given]);
  const [open, setOpen] = useState(false);
  const named = addresses.length > NAMED ? addresses.slice(0, NAMED - 1) : addresses;
  const more = addresses.length - named.length;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-text-2">
      <AddressIcon />
      <bdi className="max-w-full truncate font-medium text-text">
        {saved?.name ?? `Wallet of ${countOf(addresses.length, ADDRESS)}`}
      </bdi>
      <Button tone="bare" size="narrow" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {saved ? "Edit" : "Edit or keep"}
      </Button>
      <span className="flex w-full min-w-0 flex-wrap gap-x-3 in-data-short:hidden">
        {named.map((address) => (
          <AddressLink
            key={address}
            address={address}
            narrows
            className="inline-flex min-h-6 max-w-full items-center max-sm:min-h-11"
          />
        ))}
        {more > 0 && (
          <Button tone="bare" size="narrow" popoverTarget="wallet-addresses">
            and {formatCount(more)} more
          </Button>
        )}
      </span>
      {more > 0 && (
        <AnchoredPopover id="wallet-addresses" title={capitalised(ADDRESS.many)}>
          <ul className="max-h-80 overflow-y-auto">
            {addresses.map((address) => (
              <li key={address}>
                <AddressLink
                  address={address}
                  whole
                  className="inline-flex min-h-8 max-w-full items-center max-sm:min-h-11"
                />
              </li>
            ))}
          </ul>
        </AnchoredPopover>
      )}
      {open && (
        <Modal title="Wallet" onClose={() => setOpen(false)} staysOpen>
          <Suspense>
            <Editor addresses={addresses} onDone={() => setOpen(false)} />
          </Suspense>
        </Modal>
      )}
    </div>
  );
}
