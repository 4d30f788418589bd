import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { followBranches } from "#lib/chains/ckb/testing/follow-branches.ts";
import { growth, owners } from "#lib/chains/ckb/testing/random-tree.ts";
import { type Block, outPointText } from "#lib/contract/ledger.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { type Ask, asker } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { at } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, usd } from "#lib/testing/stores.ts";
import { TEST_TIMEOUT } from "#lib/testing/timeouts.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";
import { walkAll } from "#lib/testing/walk-all.ts";
import type { AddressChange } from "./address-changes/contract.ts";

const address = encodeAddress(owners[0]!, "testnet");

/** Replays the blocks: returns the address's unspent outputs after each block, in chain order, and its changes in the block. */
function replay(blocks: Block[], key: string): { live: string[]; changes: string[] }[] {
  const live = new Set<string>();
  return blocks.map(({ height, transactions }) => {
    const changes: string[] = [];
    for (const { hash, inputs, outputs } of transactions) {
      for (const outPoint of inputs.map(outPointText)) {
        if (live.delete(outPoint)) changes.push(`spent ${outPoint} at ${height} by ${hash}`);
      }
      for (const [outputIndex, output] of outputs.entries()) {
        const outPoint = outPointText({ transactionHash: hash, outputIndex });
        if (output.address.key !== key) continue;
        live.add(outPoint);
        changes.push(`created ${outPoint} at ${height} by ${hash}`);
      }
    }
    return { live: [...live], changes };
  });
}

const text = ({ change, outPoint, changeHeight, changeTransaction }: AddressChange) =>
  `${change} ${outPoint} at ${changeHeight} by ${changeTransaction}`;

const outputsAt = async (ask: Ask, at: string, search: Record<string, string>): Promise<string[]> =>
  (
    await walkAll<{ outPoint: string }>((cursor) =>
      ask("addressUtxos", { address }, { ...search, at, cursor }),
    )
  ).map(({ outPoint }) => outPoint);

describe.each(engines)("the history of an address in $name", ({ name, open }) => {
  const numRuns = (name === "SQLite" ? 10 : 2) * MORE;

  test("equals a replay of the blocks at every height, and changes lead from each list to each later one", {
    timeout: TEST_TIMEOUT * MORE,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        growth,
        fc.array(fc.tuple(fc.nat({ max: 4 }), growth), { maxLength: 3 }),
        fc.integer({ min: 1, max: 6 }),
        async (first, branches, pageSize) => {
          const store = await open();
          try {
            const blocks = await followBranches(store, first, branches);
            const ask = await asker(store);
            const { key } = parseAddress(address, "testnet");
            const states = replay(blocks, key);
            const search = { pageSize: String(pageSize) };
            for (const [height, { live: expected }] of states.entries()) {
              expect(await outputsAt(ask, String(height), search)).toEqual(expected);
              const newest = await outputsAt(ask, blocks[height]!.hash, { ...search, order: "desc" });
              expect(newest).toEqual(expected.toReversed());
            }

            for (let from = -1; from < states.length; from++) {
              const query = { ...search, ...(from >= 0 && { from: String(from) }) };
              const changes = await walkAll<AddressChange>((cursor) =>
                ask("addressChanges", { address }, { ...query, cursor }),
              );
              expect(changes.map(text)).toEqual(states.slice(from + 1).flatMap(({ changes }) => changes));
            }
            expect(await verifyStore(store)).toEqual([]);
          } finally {
            await store.close();
          }
        },
      ),
      { numRuns },
    );
  });
});

describeEngines(() => {
  test("changes turn each list into each later one, without outputs that nobody can ever spend", async () => {
    const live = { to: addressOf(1) };
    const lost = { ...live, spendable: false } as const;
    const first = ledger.block([{ create: [live, lost, { ...live, token: usd }] }]);
    ledger.block([{ create: [lost] }, { create: [lost, { ...lost, token: usd }] }]);
    const third = ledger.block([{ spend: [at(first, 0, 0)], create: [lost, live, lost] }]);
    ledger.block([{ spend: [at(third, 0, 1), at(first, 0, 2)], create: [lost] }]);
    await feed(store, ledger.blocks);
    const ask = await asker(store);
    const address = addressText(1);
    const lists = [new Set<string>()];
    for (const { height } of ledger.blocks) {
      const { result } = await ask("addressUtxos", { address }, { at: String(height) });
      lists.push(new Set(result.map(({ outPoint }: AddressChange) => outPoint)));
    }
    expect(lists.map(({ size }) => size)).toEqual([0, 2, 2, 2, 0]);
    for (let from = -1; from < 4; from++) {
      for (let to = Math.max(from, 0); to < 4; to++) {
        const search = { pageSize: "1", to: String(to), ...(from >= 0 && { from: String(from) }) };
        const changes = await walkAll<AddressChange>((cursor) =>
          ask("addressChanges", { address }, { ...search, cursor }),
        );
        const list = new Set(lists[from + 1]);
        for (const { change, outPoint } of changes) {
          if (change === "created") list.add(outPoint);
          else expect(list.delete(outPoint)).toBe(true);
        }
        expect(list).toEqual(lists[to + 1]);
      }
    }
  });
});
