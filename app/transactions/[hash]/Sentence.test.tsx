import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { Transaction, TransactionAsset } from "#lib/queries/transaction/contract.ts";
import type { paymentsOf } from "./flows.ts";
import { Sentence } from "./Sentence.tsx";

setUpParts();

const native = { id: "ckb", symbol: "CKB", name: "", decimals: 0 };

const asset = (id: string, amounts: Partial<TransactionAsset>): TransactionAsset =>
  ({
    token: id,
    tokenInfo: { id, symbol: id.toUpperCase(), name: id, decimals: 0, public: true },
    ...{ in: "0", out: "0", minted: "0", burnt: "0" },
    ...amounts,
  }) as TransactionAsset;

function sentenceOf(
  assets: TransactionAsset[],
  payments: ReturnType<typeof paymentsOf> | null,
  moreAssets = 0,
  outputCount = 3,
): string {
  const transaction = {
    assets,
    moreAssets,
    fee: "1",
    inputCount: 2,
    outputCount,
    index: 1,
  } as Transaction;
  const kinds = new Map([
    ["n", "Spore"],
    ["m", "Spore"],
  ]);
  renderPart(
    <Sentence
      transaction={transaction}
      payments={payments}
      kinds={kinds}
      native={native}
      flagsOf={() => []}
    />,
  );
  return document.querySelector("p")!.textContent;
}

test("the sentence names three assets that were minted or burnt, and counts the others", () => {
  const minted = ["a", "b", "c", "d"].map((id) => asset(id, { minted: "7" }));
  const burnt = ["v", "w", "x", "y", "z"].map((id) => asset(id, { burnt: "1" }));
  expect(sentenceOf([...minted, ...burnt], [])).toBe(
    "7 A, 7 B, 7 C and 1 more asset were minted; 1 V, 1 W, 1 X and 2 more assets were burnt. Fee 1 CKB.",
  );
});

test("the sentence counts NFTs without a name together", () => {
  const moved = ["m", "a", "n"].map((id) => asset(id, {}));
  for (const { token, tokenInfo } of moved) if (token !== "a") tokenInfo.symbol = tokenInfo.name = "";
  const amounts = moved.map(({ token }) => ({ assetId: token, amount: 1n }));
  expect(sentenceOf(moved, [{ from: ["payer"], to: ["payee"], amounts }])).toMatch(
    /paid .*payee.* 1 A and 2 NFTs\. Fee 1 CKB\./,
  );
});

test("the sentence says that tokens were minted before it names what carries them", () => {
  const amounts = (assetId: string, amount: bigint) => [{ assetId, amount }];
  const sentence = sentenceOf(
    [asset("a", { minted: "7" }), asset("ckb", {})],
    [
      { from: [], to: ["payee"], amounts: amounts("a", 7n) },
      { from: ["payer"], to: ["payee"], amounts: amounts("ckb", 2n) },
      { from: [], to: ["saver"], amounts: amounts("ckb", 1n) },
    ],
  );
  expect(sentence).toBe(
    "7 A were minted for payee; payer paid payee 2 CKB; 1 CKB was newly issued to saver. Fee 1 CKB.",
  );
});

test("one token is a single one, whatever its decimals", () => {
  const minted = asset("a", { minted: "100000000" });
  minted.tokenInfo.decimals = 8;
  expect(sentenceOf([minted], [])).toBe("1 A was minted. Fee 1 CKB.");
});

test("the sentence counts the assets that the API does not list", () => {
  expect(sentenceOf([asset("a", { minted: "7" })], [], 2_001)).toBe(
    "7 A were minted; 2,001 further assets moved. Fee 1 CKB.",
  );
});

test("without payments, the sentence says that everything returned", () => {
  expect(sentenceOf([], [])).toBe("Everything went back to the sending addresses. Fee 1 CKB.");
});

test("without outputs, the sentence says so", () => {
  expect(sentenceOf([], [], 0, 0)).toBe("It has no outputs. Fee 1 CKB.");
});

test("with unknown payments, the sentence counts inputs and outputs", () => {
  expect(sentenceOf([], null)).toBe("2 inputs became 3 outputs. Fee 1 CKB.");
});
