"use client";

import type { ReactNode } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { type AssetNames, type Flag, withCodePoints } from "#lib/client/chain-text.ts";
import { stringifyExactJson } from "#lib/contract/json.ts";

/** A name can be as long as its issuer likes; this much of it tells what it is. */
const SHOWN_UNITS = 500;

/** One fact, exactly as the API gave it. */
export function Fact({ name, value, note }: { name: string; value: string; note?: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="flex flex-wrap items-center gap-x-2">
        <span className="flex min-w-0 items-center gap-2">
          <span className="mono min-w-0 break-all">{value || "—"}</span>
          {value && <CopyButton text={value} label={name.toLowerCase()} />}
        </span>
        {note && <span className="text-text-3 text-xs">{note}</span>}
      </dd>
    </>
  );
}

/** Text from the chain as it is, with what cannot be seen spelled out. */
export function NameFacts({ asset, flags }: { asset: AssetNames; flags: readonly Flag[] }) {
  return (
    <>
      <NameFact name="Name" value={asset.name} />
      <NameFact name="Symbol" value={asset.symbol} />
      {flags.length > 0 && (
        <>
          <dt>Flags</dt>
          <dd>
            <ul>
              {flags.map((flag) => (
                <li key={flag.kind}>
                  <span className="text-warn">{flag.label}</span>: {flag.reason}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </>
  );
}

function NameFact({ name, value }: { name: string; value: string }) {
  const spelled = withCodePoints(value.slice(0, SHOWN_UNITS));
  return (
    <>
      <dt>{name}</dt>
      <dd className="break-all">
        {value === "" ? (
          <span className="text-text-3">empty</span>
        ) : (
          <bdi className="inline-block max-w-full overflow-clip align-bottom">{spelled}</bdi>
        )}
        {value.length > SHOWN_UNITS && (
          <span className="text-text-3"> … {value.length - SHOWN_UNITS} more characters</span>
        )}
      </dd>
    </>
  );
}

/** The part of an opened row that says where its figures come from. `failed`: its block and price did not arrive. */
export function ReceiptSection({ failed, children }: { failed: boolean; children: ReactNode }) {
  return (
    <section aria-label="Receipt" className="mt-3 border-t border-dashed pt-3">
      {failed && (
        <p className="mb-2 text-bad">The block and the price of these figures could not be loaded.</p>
      )}
      {children}
    </section>
  );
}

export function JsonOf({ value }: { value: unknown }) {
  const text = stringifyExactJson(value, 2);
  return (
    <details className="mt-3">
      <summary className="text-text-2">JSON of this row</summary>
      <div className="mt-2 flex items-start gap-2">
        <pre
          tabIndex={0}
          className="mono max-h-80 min-w-0 flex-1 overflow-auto rounded-md border border-border bg-bg p-3 break-all whitespace-pre-wrap"
        >
          {text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}
        </pre>
        <CopyButton text={text} label="JSON of this row" />
      </div>
    </details>
  );
}
