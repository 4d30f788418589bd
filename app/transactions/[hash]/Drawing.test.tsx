import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { Drawing } from "./Drawing.tsx";

setUpParts();

const ckb = { id: "ckb", symbol: "CKB", name: "", decimals: 0 };
const gold = { id: "gold", symbol: "GOLD", name: "", decimals: 0, public: true };

/** An input or output that holds CKB alone, or gold. */
const entry = (address: string, index: number, amount: number, asset: typeof ckb = ckb) =>
  ({
    ...{ address, token: asset.id, amount: `${amount}`, capacity: asset === ckb ? `${amount}` : "10" },
    ...{ tokenInfo: asset, outPoint: `0x${"ab".repeat(32)}:${index}`, spent: null, valueUsd: null },
  }) as unknown as OutputEntry;

function draw(inputs: OutputEntry[], outputs: OutputEntry[], measured: typeof ckb) {
  renderPart(
    <Drawing
      inputs={inputs}
      outputs={outputs}
      counts={{ inputs: inputs.length, outputs: outputs.length }}
      isKnown={{ inputs: true, outputs: true }}
      measure={{ assetId: measured.id }}
      measured={measured as OutputEntry["tokenInfo"]}
      native={ckb}
      flagsOf={() => []}
      isWhole={false}
    />,
  );
}

const ribbons = () => document.querySelectorAll("svg[viewBox^='0 0 100 '] path");
const side = (name: string) => screen.getByRole("region", { name });

test("one ribbon is drawn for each input and output that share an amount of the measured asset", () => {
  // 60 and 30 from the first input, 10 from the second one; the rest of it is the fee.
  draw([entry("ann", 0, 90), entry("bob", 1, 20)], [entry("eve", 0, 60), entry("ann", 1, 40)], ckb);
  expect(ribbons()).toHaveLength(3);
  expect(side("Inputs drawn").textContent).toContain("2 inputs · 110");
  expect(side("Outputs drawn").textContent).toContain("2 outputs · 100");
});

test("what was minted and what was burnt has a ribbon of its own, which fades", () => {
  draw([entry("ann", 0, 9, gold)], [entry("bob", 0, 7, gold)], gold);
  expect(ribbons()).toHaveLength(2);
  expect(document.querySelectorAll("g[mask='url(#burnt)'] path")).toHaveLength(1);
  draw([entry("ann", 0, 7, gold)], [entry("bob", 0, 9, gold)], gold);
  expect(document.querySelectorAll("g[mask='url(#minted)'] path")).toHaveLength(1);
});

const many = (count: number, addresses: number) =>
  Array.from({ length: count }, (_, at) => entry(`a${at % addresses}`, at, 1));

test.each([
  { count: 40, addresses: 3, said: /^40 outputs · 40 CKB/, rows: 40 },
  { count: 41, addresses: 3, said: /^41 outputs · 41 CKB.*, by 3 addresses$/, rows: 3 },
  { count: 45, addresses: 45, said: /^45 outputs · 45 CKB.*, by 45 addresses$/, rows: 40 },
])("$count outputs of $addresses addresses are $rows rows, each with its ribbon", (given) => {
  const { count, addresses, said, rows } = given;
  draw(many(count, addresses), many(count, addresses), ckb);
  const drawn = side("Outputs drawn");
  expect(within(drawn).getByRole("heading").textContent).toMatch(said);
  expect(within(drawn).getAllByRole("listitem")).toHaveLength(rows);
  expect(ribbons()).toHaveLength(rows);
  expect(within(drawn).queryByText("and 5 more addresses") !== null).toBe(addresses > rows);
});

test("forty payees of one payer have a ribbon each, all within the payer's row", () => {
  draw([entry("ann", 0, 40)], many(40, 40), ckb);
  expect(ribbons()).toHaveLength(40);
  const ends = [...ribbons()].map((ribbon) => /0 ([\d.]+)Z$/.exec(ribbon.getAttribute("d")!)?.[1]);
  expect(Math.max(...ends.map(Number))).toBeLessThanOrEqual(72);
});
