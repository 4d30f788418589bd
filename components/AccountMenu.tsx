"use client";

import { useState } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { ChevronIcon } from "./icons.tsx";
import { Time } from "./Time.tsx";
import { Button } from "./ui/Button.tsx";
import { FactList } from "./ui/FactList.tsx";
import { CornerPopover } from "./ui/Popover.tsx";

export interface Account {
  name: string;
  /** The token's last four characters. */
  hint: string;
  /** Milliseconds since the Unix epoch; null if it never expires. */
  expiresAt: number | null;
}

export function AccountMenu({ account }: { account: Account }) {
  const [fault, setFault] = useState("");
  async function signOut() {
    const response = await fetch(withBase("/session"), { method: "DELETE" }).catch(() => null);
    if (response?.ok) window.location.assign(withBase("/sign-in"));
    else setFault("The server cannot be reached: you are still signed in.");
  }
  return (
    <>
      <Button size="narrow" popoverTarget="account">
        <span className="sr-only">Account</span>
        <span className="mono">…{account.hint}</span>
        <ChevronIcon />
      </Button>
      <CornerPopover id="account">
        <FactList>
          <dt>Access token</dt>
          <dd>
            <bdi className="inline-block max-w-full truncate align-bottom">{account.name || "unnamed"}</bdi>{" "}
            <span className="mono">…{account.hint}</span>
          </dd>
          <dt>Expires</dt>
          <dd>{account.expiresAt === null ? "never" : <Time time={account.expiresAt} />}</dd>
        </FactList>
        <Button className="mt-3 w-full" onClick={signOut}>
          Sign out
        </Button>
        {fault && (
          <p role="alert" className="mt-2 text-bad">
            {fault}
          </p>
        )}
      </CornerPopover>
    </>
  );
}
