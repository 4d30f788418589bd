"use client";

import type { ReactNode } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { FoldedReceipt, type ReceiptProps } from "#components/Receipt.tsx";
import { FactList, FactRow } from "#components/ui/FactList.tsx";
import { type AssetNames, type Flag, withCodePoints } from "#lib/client/chain-text.ts";
import { stringifyExactJson } from "#lib/util/json.ts";

interface Props {
  /** Facts about the row, shown above its asset's names. */
  children?: ReactNode;
  asset: AssetNames;
  flags: readonly Flag[];
  receipt: ReceiptProps;
  /** The receipt's block and price could not be loaded. */
  failed?: boolean;
  json?: unknown;
}

/** The content of an open row: all values, neither cut nor rounded. */
export function Details({ children, asset, flags, receipt, failed = false, json }: Props) {
  return (
    <>
      <FactList>
        {children}
        <NameFact name="Name" value={asset.name} />
        <NameFact name="Symbol" value={asset.symbol} />
        {flags.length > 0 && (
          <FactRow name="Flags">
            {flags.map((flag) => (
              <p key={flag.kind}>
                <span className="text-warn">{flag.label}</span>: {flag.reason}
              </p>
            ))}
          </FactRow>
        )}
      </FactList>
      <FoldedReceipt {...receipt} className="mt-3">
        {failed && (
          <p className="mb-2 text-bad">The block and the price of these figures could not be loaded.</p>
        )}
      </FoldedReceipt>
      {json !== undefined && <JsonOf value={json} />}
    </>
  );
}

/** Longer names are cut. */
const SHOWN_UNITS = 500;

/** Original text from the chain, with invisible characters as code points. */
function NameFact({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  const spelled = withCodePoints(value.slice(0, SHOWN_UNITS));
  return (
    <FactRow name={name} className="break-all">
      <bdi className="inline-block max-w-full overflow-clip align-bottom">{spelled}</bdi>
      {value.length > SHOWN_UNITS && (
        <span className="text-text-3"> … {value.length - SHOWN_UNITS} more characters</span>
      )}
    </FactRow>
  );
}

const SHOWN_JSON_UNITS = 20_000;

function JsonOf({ value }: { value: unknown }) {
  const text = stringifyExactJson(value, 2);
  return (
    <details className="mt-3">
      <summary className="text-text-2">JSON of this row</summary>
      <div className="mt-2 flex items-start gap-2 rounded-md border bg-bg p-3">
        <pre
          tabIndex={0}
          className="mono max-h-80 min-w-0 flex-1 overflow-auto break-all whitespace-pre-wrap"
        >
          {text.length > SHOWN_JSON_UNITS ? `${text.slice(0, SHOWN_JSON_UNITS)}…` : text}
        </pre>
        <CopyButton text={text} label="JSON of this row" />
      </div>
    </details>
  );
}
