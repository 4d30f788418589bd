import type { ReactNode } from "react";
import type { Scope } from "#lib/contract/endpoints.ts";
import { MessagePage } from "./ui/MessagePage.tsx";
import { Notice } from "./ui/Notice.tsx";

/** The row of figures below a page's title. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <dl className="mb-2 grid grid-cols-2 gap-px overflow-hidden rounded-md border bg-border lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      {children}
    </dl>
  );
}

export function Figure({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-3 py-1.5 max-lg:last:odd:col-span-2">
      <dt className="text-text-2 text-xs">{name}</dt>
      <dd className="text-sm wrap-anywhere sm:text-base">{children}</dd>
      {note && <dd className="text-text-3 text-xs">{note}</dd>}
    </div>
  );
}

/** Shown if the reader's token lacks the scope of a page. */
export function MissingScope({ scope }: { scope: Scope }) {
  return (
    <MessagePage title="Not allowed">
      <Notice tone="warn" title="This access token does not give access to this page">
        It lacks the scope <span className="mono">{scope}</span>. Sign out and use a token that has it, or ask
        its issuer for one.
      </Notice>
    </MessagePage>
  );
}
