"use client";

import { useState } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { useIsClosed } from "./closed-pages.ts";
import { UserIcon } from "./icons.tsx";
import { Link } from "./Link.tsx";
import { PreferenceSelect } from "./Preferences.tsx";
import { ShortcutsButton } from "./Shortcuts.tsx";
import { Time } from "./Time.tsx";
import { Button, buttonClass } from "./ui/Button.tsx";
import { FactList, FactRow } from "./ui/FactList.tsx";
import { AnchoredPopover, closeAfterLink } from "./ui/Popover.tsx";
import { usePath } from "./url-state.ts";
import { useOwnSession } from "./use-own-session.ts";

export interface Account {
  name: string;
  hint: string;
  /** Milliseconds since the Unix epoch; null if it never expires. */
  expiresAt: number | null;
  /** Nobody is signed in, and the server has a guest. */
  isGuest: boolean;
}

const SETTINGS = [
  ["Theme", "theme"],
  ["Times", "times"],
  ["Rows", "density"],
] as const;

/** Settings of this browser and, if someone is signed in, the account. */
export function AccountMenu({ account, mayFollow }: { account: Account | null; mayFollow: boolean }) {
  const page = usePath();
  const hasWallets = !useIsClosed("/wallet");
  const [fault, setFault] = useState("");
  useOwnSession(account?.isGuest === true);
  async function signOut() {
    const response = await fetch(withBase("/session"), { method: "DELETE" }).catch(() => null);
    if (response?.ok) window.location.assign(withBase("/sign-in"));
    else setFault("The server cannot be reached: you are still signed in.");
  }
  const title = account ? "Account and settings" : "Settings";
  return (
    <>
      <Button size="square" className="rounded-full!" popoverTarget="account" aria-label={title}>
        <UserIcon />
      </Button>
      <AnchoredPopover id="account" title={title} at="end" className="w-80" onClick={closeAfterLink}>
        <div className="grid grid-cols-[1fr_max-content] items-center gap-x-4 gap-y-2">
          {SETTINGS.map(([title, name]) => (
            <label key={name} className="contents">
              {title}
              <PreferenceSelect name={name} />
            </label>
          ))}
        </div>
        <div className="-mx-2.5 mt-2 flex flex-wrap">
          <Link href="/docs" className={buttonClass({ tone: "bare", size: "narrow" })}>
            API reference
          </Link>
          {mayFollow && (
            <Link href="/blocks/range" className={buttonClass({ tone: "bare", size: "narrow" })}>
              Range of blocks
            </Link>
          )}
          {hasWallets && (
            <Link href="/wallet" className={buttonClass({ tone: "bare", size: "narrow" })}>
              Wallets and labels
            </Link>
          )}
          <ShortcutsButton />
        </div>
        {account?.isGuest && (
          <div className="mt-3 border-t pt-3">
            <p>Guest</p>
            <Link
              href={`/sign-in?next=${encodeURIComponent(page)}`}
              className={buttonClass({}, "mt-3 w-full")}
            >
              Use another token
            </Link>
          </div>
        )}
        {account && !account.isGuest && (
          <div className="mt-3 border-t pt-3">
            <FactList>
              <FactRow name="Access token">
                <bdi className="inline-block max-w-full truncate align-bottom">
                  {account.name || "unnamed"}
                </bdi>{" "}
                <span className="mono">…{account.hint}</span>
              </FactRow>
              <FactRow name="Expires">
                {account.expiresAt === null ? "never" : <Time time={account.expiresAt} />}
              </FactRow>
            </FactList>
            <Button className="mt-3 w-full" onClick={signOut}>
              Sign out
            </Button>
            {fault && (
              <p role="alert" className="mt-2 text-bad">
                {fault}
              </p>
            )}
          </div>
        )}
      </AnchoredPopover>
    </>
  );
}
