"use client";

import type { ReactNode } from "react";
import { useUrlState } from "#components/url-state.ts";
import { urlState } from "./url-state.ts";

/** Details that the address bar says are open or closed. */
export function LockScript({ children }: { children: ReactNode }) {
  const [{ lock }, setUrl] = useUrlState(urlState);
  const open = lock === "1";
  return (
    <details
      className="panel mb-4"
      open={open}
      // Details that the page opens say so too: then there is nothing to write.
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setUrl({ lock: open ? null : "1" });
      }}
    >
      {children}
    </details>
  );
}
