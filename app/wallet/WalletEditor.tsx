"use client";

import { type FormEvent, useId, useState } from "react";
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

/** A form for the addresses of a wallet. With a name, the browser keeps the wallet. */
export default function WalletEditor({ addresses, onDone }: Props) {
  const wallets = useStored(savedWallets);
  const saved = walletWith(wallets, addresses);
  const [fault, setFault] = useState("");
  const id = useId();

  function keep(list: Parameters<typeof savedWallets.write>[0]): boolean {
    const isFull = list.length > savedWallets.most;
    const kept = !isFull && savedWallets.write(list);
    if (!kept) setFault(isFull ? tooManyStored(savedWallets, "wallets") : NOT_STORED);
    return kept;
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const read = readAddresses(String(given.get("address")));
    if (read.fault !== null) return setFault(read.fault);
    const name = String(given.get("name")).trim();
    if (wallets.some((one) => one.name === name && one !== saved)) {
      return setFault("Another wallet in this browser has this name.");
    }
    const wallet = { name, addresses: read.addresses };
    if (name !== "" && !keep(withWallet(wallets, wallet, addresses))) return;
    openPage(walletPage(read.addresses, read.repeated === 0 ? {} : { repeated: String(read.repeated) }));
    onDone?.();
  }

  return (
    <form action={withBase("/wallet")} className="grid gap-3" onSubmit={submit}>
      <label className="grid gap-1">
        <span className="font-medium">Addresses, one per line or separated by commas</span>
        <textarea
          name="address"
          rows={6}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={addresses.join("\n")}
          aria-describedby={fault === "" ? undefined : id}
          onInput={() => setFault("")}
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
          onInput={() => setFault("")}
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
          <Button onClick={() => keep(wallets.filter((one) => one !== saved)) && onDone?.()}>
            Forget “<bdi className="max-w-40 truncate">{saved.name}</bdi>”
          </Button>
        )}
      </div>
    </form>
  );
}
