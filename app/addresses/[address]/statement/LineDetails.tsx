import { AmountFact, Fact } from "#components/Fact.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import type { ReceiptLine } from "#lib/client/receipts.ts";
import type { StatementLine } from "#lib/questions/address-statement/contract.ts";
import { terms } from "#terms";
import { type StatementFacts, tokenOf, uniqueOf } from "./columns.tsx";

/** A line in full: opening + in − out = closing. */
export function LineDetails({ line }: { line: StatementLine }) {
  const { address, flagsOf } = useRowFacts<StatementFacts>();
  const asset = tokenOf(line);
  const { height, blockHash, time, token, opening, out, closing, priceUsd, valueUsd } = line;
  const lines: ReceiptLine[] = [
    ...(priceUsd
      ? [["Value", `$${valueUsd}`, `at $${priceUsd}, the price as of the block's time`] as const]
      : []),
    ["Block hash", blockHash, `block ${height}, ${time}`],
  ];
  const range = new URLSearchParams({ from: String(height - 1), to: blockHash, token, value: "usd" });
  if (height === 0) range.delete("from");
  return (
    <Details
      asset={asset}
      flags={flagsOf(asset)}
      receipt={{
        lines,
        requests: [`/v0/addresses/${address}/statement?${range}`],
        link: `/addresses/${address}?${new URLSearchParams({ tab: "statement", token, since: String(Math.max(0, height - 1)), to: blockHash })}`,
      }}
      json={line}
    >
      {terms.hasTokens && <Fact name="Token id" value={token} />}
      <Fact name="Opening + in − out" value={`${opening} + ${line.in} − ${out}`} />
      <AmountFact
        name="Balance"
        amount={closing}
        decimals={displayDecimals(asset)}
        without={uniqueOf(line)}
      />
    </Details>
  );
}
