import { terms } from "#chain/terms.ts";
import { Receipt } from "#components/Receipt.tsx";
import { NameFacts, ReceiptSection } from "#components/table/Details.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import type { Flag } from "#lib/client/chain-text.ts";
import { countOf, formatUtc } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { amountFormula, type ReceiptLine, tipLines, valueFormula } from "#lib/client/receipts.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { ShownNative } from "./row-facts.ts";

interface Props {
  address: string;
  holding: Holding;
  flags: readonly Flag[];
  native: ShownNative | null;
  /** At which the holdings were read. */
  tip: AnswerTip | null;
}

/** What an address holds of a token, and where the figures come from. */
export default function HoldingDetails({ address, holding, flags, native, tip }: Props) {
  const { id, amount, decimals, capacity, outputCount, price, priceTime, valueUsd } = holding;
  const lines: ReceiptLine[] = [
    ["Token id", id],
    ["Amount", amountFormula(amount, decimals), `sum over ${countOf(outputCount, terms.output)}`],
  ];
  if (native) lines.push(["Capacity", amountFormula(capacity, native.decimals), native.symbol]);
  if (price !== null && priceTime !== null && valueUsd !== null) {
    lines.push(
      ["Price", `$${price}`, `for one whole token, in force from ${formatUtc(priceTime)}`],
      ["Value", valueFormula(amount, decimals, price, valueUsd)],
    );
  }
  lines.push(...tipLines(tip));
  const view = new URLSearchParams({ token: id });
  return (
    <>
      <FactList>
        <NameFacts asset={holding} flags={flags} />
      </FactList>
      <ReceiptSection failed={false}>
        <Receipt
          lines={lines}
          requests={[`/v0/addresses/${address}/utxos?${view}`]}
          link={`/addresses/${address}?${view}`}
        />
      </ReceiptSection>
    </>
  );
}
