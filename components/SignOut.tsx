"use client";

import { useState } from "react";

export function SignOut() {
  const [fault, setFault] = useState("");

  async function signOut() {
    const response = await fetch("/session", { method: "DELETE" }).catch(() => null);
    if (response?.ok) window.location.assign("/sign-in");
    else setFault("The server cannot be reached: you are still signed in.");
  }

  return (
    <>
      <button type="button" className="button mt-3 w-full" onClick={signOut}>
        Sign out
      </button>
      {fault && (
        <p role="alert" className="mt-2 text-bad">
          {fault}
        </p>
      )}
    </>
  );
}
