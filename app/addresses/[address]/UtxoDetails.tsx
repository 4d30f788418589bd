import { useQuery } from "@tanstack/react-query";
import { Fact } from "#components/Fact.tsx";
import { Link } from "#components/Link.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { formatAmount, formatCount } from "#lib/client/format.ts";
import { amountFormula, blockLine, type ReceiptLine, sourceQuery, tipLines } from "#lib/client/receipts.ts";
import type { UtxoEntry } from "#lib/questions/address-utxos/contract.ts";
import { terms } from "#terms";
import type { OutputFacts } from "./columns.tsx";

/** An output in full: nothing cut, nothing rounded. */
export function UtxoDetails({ entry }: { entry: UtxoEntry }) {
  const { address, native, flagsOf, asOf, cite } = useRowFacts<OutputFacts>();
  const { data, error } = useQuery(sourceQuery({ height: String(entry.blockHeight) }));
  const { tokenInfo } = entry;
  const kind = terms.outputKind(entry.kind ?? "", entry.blockHeight);
  const decimals = displayDecimals(tokenInfo);
  const inNative = (amount: string) => `${formatAmount(amount, native.decimals).exact} ${native.symbol}`;
  const lines: ReceiptLine[] = [
    ["Amount", amountFormula(entry.amount, tokenInfo.decimals)],
    ["Capacity", amountFormula(entry.capacity, native.decimals), native.symbol],
  ];
  if (data) lines.push(blockLine(data.block));
  if (entry.valueUsd) lines.push(["Value", `$${entry.valueUsd}`, `at $${entry.priceUsd} for one whole unit`]);
  lines.push(...tipLines(asOf));
  const request = new URLSearchParams({
    token: entry.token,
    value: "usd",
    ...(asOf && { at: asOf.hash }),
  });
  return (
    <Details
      asset={tokenInfo}
      flags={flagsOf(tokenInfo)}
      more={
        <>
          {tokenInfo.parentId && <Fact name="Parent id" value={tokenInfo.parentId} />}
          <Fact name="Total supply, smallest unit" value={tokenInfo.totalSupply} />
          {tokenInfo.firstMintAt && <Fact name="First mint" value={tokenInfo.firstMintAt} />}
          <Fact name="First found in block" value={tokenInfo.firstFoundBlock} />
          <dt>Registry</dt>
          <dd>{tokenInfo.public ? "In this server's registry" : "Not in the registry"}</dd>
        </>
      }
      receipt={{
        lines,
        requests: [`/v0/addresses/${address}/utxos?${request}`],
        link: cite(entry),
      }}
      failed={error !== null}
      json={entry}
    >
      <Fact name="Out point" value={terms.hashText(entry.outPoint)} />
      {kind && (
        <>
          <dt>Kind</dt>
          <dd>
            {kind.label}. <span className="text-text-2">{kind.about}</span>
          </dd>
        </>
      )}
      {kind?.block && (
        <>
          <dt>{kind.block.name}</dt>
          <dd>
            <Link href={`/blocks/${kind.block.height}`}>{formatCount(kind.block.height)}</Link>
          </dd>
        </>
      )}
      {entry.until && <Fact name="Spendable from" value={entry.until} />}
      {entry.compensation && (
        <Fact
          name={`Compensation, ${terms.smallestUnit.many}`}
          value={entry.compensation}
          note={inNative(entry.compensation)}
        />
      )}
      {terms.hasTokens && <Fact name="Token id" value={entry.token} />}
      <Fact
        name="Amount, smallest unit"
        value={entry.amount}
        note={
          decimals === null
            ? (kind?.unique ?? "decimals unknown")
            : `${formatAmount(entry.amount, decimals).exact} with ${decimals} decimals`
        }
      />
      <Fact
        name={`Capacity, ${terms.smallestUnit.many}`}
        value={entry.capacity}
        note={inNative(entry.capacity)}
      />
    </Details>
  );
}
