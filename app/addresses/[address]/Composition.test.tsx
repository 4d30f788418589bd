import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { sharesOfValue } from "#lib/client/holdings.ts";
import { shownHoldings } from "#lib/dashboard/holdings.ts";
import type { AddressOverview } from "#lib/queries/address-overview.ts";
import { terms } from "#terms";
import { Composition } from "./Composition.tsx";
import { shareOfToken } from "./holdings/columns.tsx";

setUpParts();

/** Holdings of these values; the composition, as text; and the share of each in the list. */
function show(values: string[], symbols: string[], listed: string[] = []) {
  const holdings = values.map((valueUsd, at) => {
    const symbol = symbols[at]!;
    const isPublic = !listed.includes(symbol);
    const token = {
      id: `0x${at}`,
      name: "",
      symbol,
      icon: "",
      decimals: 8,
      standard: "xUDT",
      public: isPublic,
    };
    return {
      ...{ token, valueUsd, amount: "1", capacity: "1", outputCount: 1, price: null },
      ...{ members: 1, collection: "" },
    };
  });
  const valueUsd = String(values.reduce((sum, value) => sum + BigInt(value), 0n));
  const overview = { holdings, tokenCount: values.length, unpricedCount: 0, valueUsd };
  const result = shownHoldings(holdings as unknown as AddressOverview["holdings"]);
  const shares = sharesOfValue(result, valueUsd);
  renderPart(
    <Composition
      overview={overview as unknown as AddressOverview}
      shares={shares}
      namesakes={{
        listed: listed.map((symbol) => ({ id: "0xff", name: "", symbol, decimals: 8, public: true })),
        bySymbol: [],
      }}
      native={terms.native}
    />,
  );
  const parts = [...screen.getByRole("list", { name: "The largest holdings" }).children];
  const shareOf = shareOfToken(result, shares);
  return { texts: parts.map(({ textContent }) => textContent), shareOf, ids: result.map(({ id }) => id) };
}

const shareIn = (text: string | null | undefined) => /[\d.]+ %$/.exec(text!)![0];
const sumOf = (shares: (string | null | undefined)[]) =>
  shares.reduce(
    (sum, share) => sum + (/< 0/.test(share!) ? 0 : Number(shareIn(share).replace(/\D/g, ""))),
    0,
  );

test("flagged holdings have the sum of their shares, and the others what is left", () => {
  const values = ["4000500", "3000500", "500100", "500050", "500050", "500050", "998250", "500"];
  const symbols = [...values.slice(1).map((_, at) => `S${at}`), "USDC"];
  const { texts, shareOf } = show(values, symbols, ["USDC"]);
  expect(texts.at(-1)).toMatch(/^1 flagged.*< 0\.01 %$/);
  expect(shareOf("0x7"), "alone it would be rounded up").toBe("< 0.01 %");
  expect(sumOf(texts)).toBe(10_000);
});

test("the composition has the shares of the holdings, which add up to 100 %", () => {
  const values = Array.from({ length: 7 }, () => "100000000");
  const { texts, shareOf, ids } = show(values, ["A", "B", "C", "D", "E", "F", "G"]);
  const shares = texts.map(shareIn);
  expect(shares.slice(0, 5)).toEqual(ids.slice(0, 5).map(shareOf));
  expect(shares.slice(5)).toEqual(["28.56 %"]);
  expect(sumOf(ids.map(shareOf))).toBe(10_000);
});
