import { AmountFact, Fact, NativeFact } from "#components/Fact.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { countOf } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { priceLines, type ReceiptLine, tipLines } from "#lib/client/receipts.ts";
import { urlOf } from "#lib/client/request.ts";
import { addressPage } from "#lib/client/wallet.ts";
import { terms } from "#terms";
import type { HoldingFacts } from "./columns.tsx";

export function HoldingDetails({ holding }: { holding: Holding }) {
  const { address, native, flagsOf, tip } = useRowFacts<HoldingFacts>();
  const { id, amount, decimals, capacity, outputCount, price, priceTime, valueUsd, members, collection } =
    holding;
  const lines: ReceiptLine[] = [];
  if (price !== null && priceTime !== null && valueUsd !== null) {
    lines.push(...priceLines("Value", amount, decimals, { usd: price, time: priceTime }, valueUsd));
  }
  lines.push(...tipLines(tip));
  const at: Record<string, string> = tip ? { at: tip.hash } : {};
  return (
    <Details
      asset={holding}
      flags={flagsOf(holding)}
      receipt={{
        lines,
        requests: [urlOf("/v0/addresses/{address}/holdings", { address }, at)],
        link: addressPage(address, { tab: "holdings", ...at }),
      }}
    >
      {members === 1 && <Fact name="Token id" value={id} />}
      {members > 1 && collection !== "" && <Fact name="Collection id" value={collection} />}
      <AmountFact
        name={`Sum of ${countOf(outputCount, terms.output)}`}
        amount={amount}
        decimals={displayDecimals(holding)}
        without={terms.outputKind(holding.standard)?.unique}
      />
      {id !== native.id && <NativeFact name="Capacity" amount={capacity} native={native} />}
    </Details>
  );
}
