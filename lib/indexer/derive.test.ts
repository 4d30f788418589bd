import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issuer, OutPoint, TokenReference } from "#lib/contract/ledger.ts";
import {
  at,
  hashOf,
  keyOf,
  Ledger,
  native,
  type OutputPlan,
  outputOf,
  tokenOf,
} from "#lib/testing/ledger.ts";
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

  test("is never less than the created nor the spent amount of an asset", () => {
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

  /** A transaction that spends one output and introduces a token, and may make another output beside it. */
  function minting(token: TokenReference, spent: OutputPlan, made: OutputPlan[] = [], amount = 1n) {
    const ledger = new Ledger();
    const funds = ledger.block([{ create: [spent] }]);
    const create = [{ to: "bob", token, amount }, ...made];
    const mint = ledger.block([{ spend: [at(funds, 0, 0)], create, claims: [claim] }]);
    return deriveBlock(mint, () => funds.transactions[0]!.outputs[0], native.id).transactions[0]!.claims;
  }
  const named = [{ ...claim, assetId: usd.id }];

  test("speaks of the one token that its transaction introduces, if the issuer spends something", () => {
    const owned: TokenReference = { ...usd, issuer: { key: keyOf("ann"), as: ["spender"] } };
    expect(minting(owned, { to: "eve" })).toEqual([]);
    expect(minting(owned, { to: "eve" }, [{ to: "ann" }])).toEqual([]);
    expect(minting(owned, { to: "ann" })).toEqual(named);
    expect(minting(owned, { to: "ann" }, [], 0n), "anyone may create an output of none").toEqual([]);
  });

  test("speaks of a token that a rule issues, if the rule guards an input or an output, as the token asks", () => {
    const key = hashOf("rule");
    const guarded = { to: "eve", kind: `some-word@${key}` };
    const backed = { to: "eve", token: tokenOf("backing", { id: key }) };
    const ruled = (...as: Issuer["as"]): TokenReference => ({ ...usd, issuer: { key, as } });
    for (const output of [guarded, backed]) {
      expect(minting(ruled("input"), output)).toEqual(named);
      expect(minting(ruled("input"), { to: "eve" }, [output])).toEqual([]);
      expect(minting(ruled("output"), { to: "eve" }, [guarded])).toEqual(named);
      expect(minting(ruled("output"), output)).toEqual([]);
      expect(minting(ruled("spender", "output", "input"), output)).toEqual(named);
      expect(minting(ruled("spender"), output, [guarded])).toEqual([]);
    }
  });

  test("is mute about a token that anybody may create, or whose issuer is unknown", () => {
    expect(minting(usd, { to: "ann" })).toEqual([]);
  });

  test("is mute where several tokens are introduced, or none", () => {
    const issuer: Issuer = { key: keyOf("ann"), as: ["spender"] };
    const [one, other] = [{ ...usd, issuer }, tokenOf("eur", { issuer })];
    expect(minting(one, { to: "ann" }, [{ to: "ann", token: other }])).toEqual([]);
    expect(minting(one, { to: "ann", token: one })).toEqual([]);
    expect(minting(one, { to: "ann" }, [{ to: "ann", token: eur }])).toEqual(named);
  });
});
