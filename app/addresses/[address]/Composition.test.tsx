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

test("flagged holdings have the sum of their shares, and the others what is left", () => {
  const values = ["4000500", "3000500", "500100", "500050", "500050", "500050", "997950", "800"];
  const holdings = values.map((valueUsd, at) => {
    const symbol = valueUsd === "800" ? "USDC" : `S${at}`;
    const token = { id: `0x${at}`, name: "", symbol, icon: "", decimals: 8, standard: "xUDT", public: true };
    return {
      ...{ token, valueUsd, amount: "1", capacity: "1", outputCount: 1, price: null },
      ...{ members: 1, collection: "" },
    };
  });
  const [imitated] = [{ ...holdings.at(-1)!.token, id: "0xff" }];
  holdings.at(-1)!.token.public = false;
  const overview = { holdings, tokenCount: 8, unpricedCount: 0, valueUsd: "10000000" };
  const result = shownHoldings(holdings as unknown as AddressOverview["holdings"]);
  renderPart(
    <Composition
      overview={overview as unknown as AddressOverview}
      shares={sharesOfValue(result, overview.valueUsd)}
      namesakes={{ listed: [imitated], bySymbol: [] }}
      native={terms.native}
    />,
  );
  const parts = [...screen.getByRole("list", { name: "The largest holdings" }).children];
  const texts = parts.map(({ textContent }) => textContent);
  const shareOf = shareOfToken({ first: { data: { result } }, valueUsd: overview.valueUsd });
  expect(texts.at(-1)).toMatch(/^1 flagged.*0\.01 %$/);
  expect(shareOf("0x7")).toBe("0.01 %");
  const hundredths = texts.map((text) => Number(/([\d.]+) %$/.exec(text!)![1]!.replace(".", "")));
  expect(hundredths.reduce((sum, share) => sum + share, 0)).toBe(10_000);
});

test("the composition has the shares of the holdings, which add up to 100 %", () => {
  const ids = ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7"];
  const holdings = ids.map((id) => ({
    token: { id, name: "", symbol: `S${id}`, icon: "", decimals: 8, standard: "xUDT", public: true },
    ...{ amount: "1", capacity: "1", outputCount: 1, valueUsd: "100000000", price: null },
    ...{ members: 1, collection: "" },
  }));
  const overview = { holdings, tokenCount: 7, unpricedCount: 0, valueUsd: "700000000" };
  const result = shownHoldings(holdings as unknown as AddressOverview["holdings"]);
  renderPart(
    <Composition
      overview={overview as unknown as AddressOverview}
      shares={sharesOfValue(result, overview.valueUsd)}
      namesakes={{ listed: [], bySymbol: [] }}
      native={terms.native}
    />,
  );
  const parts = [...screen.getByRole("list", { name: "The largest holdings" }).children];
  const shares = parts.map(({ textContent }) => /[\d.]+ %/.exec(textContent!)?.[0]);
  const shareOf = shareOfToken({ first: { data: { result } }, valueUsd: overview.valueUsd });
  expect(shares.slice(0, 5)).toEqual(ids.slice(0, 5).map(shareOf));
  expect(shares.slice(5)).toEqual(["28.56 %"]);
  const hundredths = ids.map((id) => Number(shareOf(id)!.replace(/\D/g, "")));
  expect(hundredths.reduce((sum, share) => sum + share, 0)).toBe(10_000);
});
