"use client";

import { useState } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { Button } from "./ui/Button.tsx";

export function SignOut() {
  const [fault, setFault] = useState("");

  async function signOut() {
    const response = await fetch(withBase("/session"), { method: "DELETE" }).catch(() => null);
    if (response?.ok) window.location.assign(withBase("/sign-in"));
    else setFault("The server cannot be reached: you are still signed in.");
  }

  return (
    <>
      <Button className="mt-3 w-full" onClick={signOut}>
        Sign out
      </Button>
      {fault && (
        <p role="alert" className="mt-2 text-bad">
          {fault}
        </p>
      )}
    </>
  );
}
