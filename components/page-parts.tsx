import type { ReactNode } from "react";
import type { Scope } from "#lib/contract/operation.ts";
import { Receipt, type ReceiptProps } from "./Receipt.tsx";
import { MessagePage } from "./ui/MessagePage.tsx";
import { Popover } from "./ui/Popover.tsx";

export function Figures({ children }: { children: ReactNode }) {
  return (
    <dl className="mb-2 grid grid-cols-2 gap-px max-sm:grid-cols-[5fr_6fr] overflow-hidden rounded-md border bg-border lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      {children}
    </dl>
  );
}

interface FigureProps {
  name: string;
  note?: ReactNode;
  /** Where the figure comes from: opened by its name. */
  receipt?: ReceiptProps;
  children: ReactNode;
}

export function Figure({ name, note, receipt, children }: FigureProps) {
  const id = `receipt-${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return (
    <div className="min-w-0 bg-surface px-3 py-1.5 max-sm:px-2 max-lg:last:odd:col-span-2">
      <dt className="text-text-2 text-xs">
        {receipt ? (
          <>
            <button
              type="button"
              popoverTarget={id}
              title="Where this figure comes from"
              className="text-left underline decoration-dotted underline-offset-2 hover:text-accent"
            >
              {name}
            </button>
            <Popover
              id={id}
              role="dialog"
              aria-label={`Receipt: ${name}`}
              className="m-auto max-h-[calc(100dvh-32px)] w-[min(640px,calc(100vw-32px))] overflow-y-auto p-4"
            >
              <Receipt {...receipt} />
            </Popover>
          </>
        ) : (
          name
        )}
      </dt>
      <dd className="text-sm wrap-anywhere sm:text-base">{children}</dd>
      {note && <dd className="text-text-3 text-xs">{note}</dd>}
    </div>
  );
}

/** Shown if the reader's token lacks the scope of a page. */
export function MissingScope({ scope }: { scope: Scope }) {
  return (
    <MessagePage
      heading="Not allowed"
      tone="warn"
      title="This access token does not give access to this page"
    >
      It lacks the scope <span className="mono">{scope}</span>. Sign out and use a token that has it, or ask
      its issuer for one.
    </MessagePage>
  );
}
