import { useQuery } from "@tanstack/react-query";
import { AmountFact, Fact, NativeFact } from "#components/Fact.tsx";
import { Link } from "#components/Link.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { FactRow } from "#components/ui/FactList.tsx";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";
import { outPointPath } from "#lib/client/paths.ts";
import { blockLine, type ReceiptLine, sourceQuery, tipLines } from "#lib/client/receipts.ts";
import { urlOf } from "#lib/client/request.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import { terms } from "#terms";
import type { OutputFacts } from "./columns.tsx";

export function UtxoDetails({ entry }: { entry: UtxoEntry }) {
  const { address, native, flagsOf, asOf, cite } = useRowFacts<OutputFacts>();
  const { data, error } = useQuery(sourceQuery({ height: String(entry.blockHeight) }));
  const { tokenInfo } = entry;
  const kind = terms.outputKind(entry.kind ?? "", entry.blockHeight);
  const lines: ReceiptLine[] = data ? [blockLine(data.block)] : [];
  if (entry.valueUsd) lines.push(["Value", `$${entry.valueUsd}`, `at $${entry.priceUsd} for one whole unit`]);
  lines.push(...tipLines(asOf));
  const request = { token: entry.token, value: "usd", ...(asOf && { at: asOf.hash }) };
  return (
    <Details
      asset={tokenInfo}
      flags={flagsOf(tokenInfo)}
      receipt={{
        lines,
        requests: [urlOf("/v0/addresses/{address}/utxos", { address }, request)],
        link: cite(entry),
      }}
      failed={error !== null}
      json={entry}
    >
      <Fact name="Out point" value={terms.hashText(entry.outPoint)} href={outPointPath(entry.outPoint)} />
      {kind && (
        <FactRow name="Kind">
          {kind.label}. <span className="text-text-2">{kind.about}</span>
        </FactRow>
      )}
      {kind?.block && (
        <FactRow name={kind.block.name}>
          <Link href={`/blocks/${kind.block.height}`}>{formatCount(kind.block.height)}</Link>
        </FactRow>
      )}
      {entry.until && <Fact name="Spendable from" value={entry.until} />}
      {entry.compensation && <NativeFact name="Compensation" amount={entry.compensation} native={native} />}
      {terms.hasTokens && <Fact name="Token id" value={entry.token} />}
      <AmountFact
        name="Amount"
        amount={entry.amount}
        decimals={displayDecimals(tokenInfo)}
        without={kind?.unique}
      />
      {entry.token !== native.id && <NativeFact name="Capacity" amount={entry.capacity} native={native} />}
    </Details>
  );
}
