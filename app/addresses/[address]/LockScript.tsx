"use client";

import type { ReactNode } from "react";
import { Panel } from "#components/ui/Panel.tsx";
import { useUrlState } from "#components/url-state.ts";
import { choiceField } from "#lib/client/url-state.ts";

/** `1` opens it. */
const fields = { lock: choiceField(["", "1"]) };

/** The lock script's details: the address bar keeps whether they are open. */
export function LockScript({ children }: { children: ReactNode }) {
  const [{ lock }, setUrl] = useUrlState(fields);
  const open = lock === "1";
  return (
    <Panel
      as="details"
      className="mb-4"
      open={open}
      // Opening them from here fires the event too; the address bar is then right already.
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setUrl({ lock: open ? null : "1" });
      }}
    >
      {children}
    </Panel>
  );
}
