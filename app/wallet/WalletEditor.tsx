"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { announce } from "#components/announce.ts";
import { openPage } from "#components/navigation.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Field } from "#components/ui/Field.tsx";
import { useStored } from "#components/use-stored.ts";
import { withBase } from "#lib/client/base-path.ts";
import { NOT_STORED, tooManyStored } from "#lib/client/stored.ts";
import {
  MAX_WALLET_NAME,
  readAddresses,
  savedWallets,
  walletPage,
  walletWith,
  withWallet,
} from "#lib/client/wallet.ts";

interface Props {
  /** Texts to begin with. */
  addresses: readonly string[];
  onDone?: () => void;
}

const NO_FAULT = { fault: "", of: "address" } as const;

/** A form for the addresses of a wallet. With a name, the browser keeps the wallet. */
export default function WalletEditor({ addresses, onDone }: Props) {
  const wallets = useStored(savedWallets);
  const saved = walletWith(wallets, addresses);
  const [{ fault, of }, setFault] = useState<{ fault: string; of: "address" | "name" }>(NO_FAULT);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const faultId = (wrong: typeof of) => (fault !== "" && wrong === of ? id : undefined);

  function keep(list: Parameters<typeof savedWallets.write>[0]): boolean {
    const isFull = list.length > savedWallets.most;
    const kept = !isFull && savedWallets.write(list);
    if (!kept) setFault({ fault: isFull ? tooManyStored(savedWallets, "wallets") : NOT_STORED, of: "name" });
    return kept;
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const read = readAddresses(String(given.get("address")));
    if (read.fault !== null) return setFault({ fault: read.fault, of: "address" });
    const wallet = { name: String(given.get("name")).trim(), addresses: read.addresses };
    const twin = walletWith(wallets, read.addresses);
    if (wallets.some((one) => one.name === wallet.name && one !== saved && one !== twin)) {
      return setFault({ fault: "Another wallet in this browser has this name.", of: "name" });
    }
    if (wallet.name !== "" && twin && twin !== saved && twin.name !== wallet.name) {
      return setFault({ fault: `This browser keeps these addresses as “${twin.name}”.`, of: "address" });
    }
    if (wallet.name !== "" && !keep(withWallet(wallets, wallet, addresses))) return;
    openPage(walletPage(read.addresses, read.repeated === 0 ? {} : { repeated: String(read.repeated) }));
    onDone?.();
  }
  function forget() {
    if (!keep(wallets.filter((one) => one !== saved))) return;
    announce("Wallet removed from this browser", true);
    if (onDone) onDone();
    // The button goes away, and had the focus.
    else field.current?.focus();
  }

  return (
    <form action={withBase("/wallet")} className="grid gap-3" onSubmit={submit}>
      <label className="grid gap-1">
        <span className="font-medium">Addresses, one per line or separated by commas</span>
        <textarea
          ref={field}
          name="address"
          rows={6}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={addresses.join("\n")}
          aria-describedby={faultId("address")}
          aria-invalid={faultId("address") !== undefined}
          onInput={() => setFault(NO_FAULT)}
          className="mono min-w-0 rounded-md border border-transparent bg-sunken px-3 py-2 text-text hover:border-border"
        />
      </label>
      <label className="grid gap-1">
        <span className="font-medium">
          Name <span className="font-normal text-text-2">(optional: this browser keeps named wallets)</span>
        </span>
        <Field
          name="name"
          key={saved?.name}
          defaultValue={saved?.name}
          maxLength={MAX_WALLET_NAME}
          aria-describedby={faultId("name")}
          aria-invalid={faultId("name") !== undefined}
          onInput={() => setFault(NO_FAULT)}
        />
      </label>
      {fault !== "" && (
        <p id={id} role="alert" className="text-bad wrap-anywhere">
          {fault}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary">
          Show wallet
        </Button>
        {saved && (
          <Button onClick={forget}>
            <span className="flex">
              Forget “<bdi className="max-w-40 truncate">{saved.name}</bdi>”
            </span>
          </Button>
        )}
      </div>
    </form>
  );
}
