import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OutPoint } from "#lib/contract/ledger.ts";
import { at, hashOf, keyOf, Ledger, native, outputOf, tokenOf } from "#lib/testing/ledger.ts";
import { deriveBlock, type ResolvedOutput } from "./derive.ts";

const usd = tokenOf("usd");
const eur = tokenOf("eur");
const nothing = (): undefined => undefined;

describe("what a block moves", () => {
  test("counts a transfer once, and a mint and a burn whole, in order of first appearance", () => {
    const ledger = new Ledger();
    const first = ledger.block([
      {
        create: [
          { to: "ann", token: usd, amount: 10n, capacity: 1n },
          { to: "ann", token: eur, amount: 5n, capacity: 2n },
        ],
      },
    ]);
    const second = ledger.block([
      {
        spend: [at(first, 0, 1), at(first, 0, 0)],
        create: [
          { to: "bob", token: usd, amount: 4n, capacity: 1n },
          { to: "ann", token: usd, amount: 6n, capacity: 2n },
        ],
      },
    ]);
    const outputs = new Map(first.transactions[0]!.outputs.map((output, i) => [i, output]));
    const known = (point: OutPoint) => outputs.get(point.outputIndex);
    expect(deriveBlock(first, nothing, native.id).changes).toEqual([
      { assetId: native.id, amount: 3n, transactions: 1 },
      { assetId: usd.id, amount: 10n, transactions: 1 },
      { assetId: eur.id, amount: 5n, transactions: 1 },
    ]);
    expect(deriveBlock(second, known, native.id).changes).toEqual([
      { assetId: native.id, amount: 3n, transactions: 1 },
      { assetId: eur.id, amount: 5n, transactions: 1 },
      { assetId: usd.id, amount: 10n, transactions: 1 },
    ]);
  });

  test("is never less than what is created nor what is spent of an asset", () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), { maxLength: 6 });
    fc.assert(
      fc.property(amounts, amounts, (spent, created) => {
        const outputs: ResolvedOutput[] = spent.map((amount) => outputOf({ to: "ann", token: usd, amount }));
        const block = new Ledger().block([
          {
            spend: spent.map((_, outputIndex) => ({ transactionHash: hashOf("before"), outputIndex })),
            create: created.map((amount) => ({ to: "bob", token: usd, amount })),
          },
        ]);
        const { changes, transactions } = deriveBlock(
          block,
          (point) => outputs[point.outputIndex],
          native.id,
        );
        const sum = (list: bigint[]) => list.reduce((total, amount) => total + amount, 0n);
        const [before, after] = [sum(spent), sum(created)];
        const change = changes.find(({ assetId }) => assetId === usd.id);
        expect(change?.amount ?? 0n).toBe(before > after ? before : after);
        expect(transactions[0]!.minted.includes(usd.id)).toBe(after > before);
      }),
    );
  });

  test("names an asset that appears with amount 0", () => {
    const block = new Ledger().block([{ create: [{ to: "ann", token: usd, amount: 0n }] }]);
    expect(deriveBlock(block, nothing, native.id).changes).toContainEqual({
      assetId: usd.id,
      amount: 0n,
      transactions: 1,
    });
  });
});

describe("a claim that names no token", () => {
  const claim = { assetId: null, outputIndex: 1, name: "Name", symbol: "N", decimals: 8 };

  test("is mute beside an output of none of a token, which anyone may create", () => {
    const block = new Ledger().block([{ create: [{ to: "eve", token: usd, amount: 0n }], claims: [claim] }]);
    expect(deriveBlock(block, nothing, native.id).transactions[0]!.claims).toEqual([]);
  });

  test("speaks of the one token that its transaction introduces", () => {
    const block = new Ledger().block([{ create: [{ to: "ann", token: usd }], claims: [claim] }]);
    expect(deriveBlock(block, nothing, native.id).transactions[0]!.claims).toEqual([
      { ...claim, assetId: usd.id },
    ]);
  });

  test("is mute where its issuer spends nothing, as where anyone may mint", () => {
    const owned = { ...usd, issuer: keyOf("ann") };
    const minting = (spender: string) => {
      const ledger = new Ledger();
      const funds = ledger.block([{ create: [{ to: spender }] }]);
      const mint = ledger.block([
        { spend: [at(funds, 0, 0)], create: [{ to: "bob", token: owned }], claims: [claim] },
      ]);
      return deriveBlock(mint, () => funds.transactions[0]!.outputs[0], native.id).transactions[0]!.claims;
    };
    expect(minting("eve")).toEqual([]);
    expect(minting("ann")).toEqual([{ ...claim, assetId: usd.id }]);
  });

  test("is mute where several tokens are introduced, or none", () => {
    const ledger = new Ledger();
    const first = ledger.block([
      {
        create: [
          { to: "ann", token: usd },
          { to: "ann", token: eur },
        ],
        claims: [claim],
      },
    ]);
    const second = ledger.block([
      { spend: [at(first, 0, 0)], create: [{ to: "bob", token: usd, amount: 2n }], claims: [claim] },
    ]);
    const known = () => first.transactions[0]!.outputs[0];
    for (const block of [first, second]) {
      expect(deriveBlock(block, known, native.id).transactions[0]!.claims).toEqual([]);
    }
  });
});
