/** Compares the transactions that the API shows with the blocks that are indexed. */
import { expect } from "vitest";
import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import type { WalletChange } from "#lib/queries/changes/contract.ts";
import type { Transaction } from "#lib/queries/transaction/contract.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import type { Ask } from "./ask.ts";
import { walkAll } from "./walk-all.ts";

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The amount of an asset in outputs. Of the native asset, all outputs hold their capacity. */
const amountIn = (outputs: readonly Output[], id: string, nativeId: string) =>
  sum(
    outputs
      .filter(({ token }) => id === nativeId || token?.id === id)
      .map(({ amount, capacity }) => (id === nativeId ? capacity : amount)),
  );

/** Asks for every transaction of the blocks, which are all that is indexed. Returns what was seen. */
export async function expectTransactions(ask: Ask, blocks: readonly Block[], nativeId: string) {
  const made = new Map<string, Output>();
  for (const { transactions } of blocks) {
    for (const { hash: transactionHash, outputs } of transactions) {
      for (const [outputIndex, output] of outputs.entries())
        made.set(outPointText({ transactionHash, outputIndex }), output);
    }
  }
  const seen = { foreign: 0, minted: 0, burnt: 0, withdrawn: 0, spent: new Map<string, string>() };
  const spends = new Map<string, string>();
  const times = new Map(blocks.map(({ height, timestamp }) => [height, new Date(timestamp).toISOString()]));
  for (const block of blocks) {
    for (const [index, { hash, inputs, outputs }] of block.transactions.entries()) {
      const spent = inputs.map((input) => made.get(outPointText(input)));
      const isWhole = !spent.includes(undefined);
      const known = spent.filter((output) => output !== undefined);
      const overview: Transaction = await ask("transaction", { hash }, {});
      expect(overview).toMatchObject({
        ...{ hash, blockHeight: block.height, blockHash: block.hash, index },
        ...{ inputCount: inputs.length, outputCount: outputs.length, moreAssets: 0 },
      });
      const ids = new Set([...known, ...outputs].map(({ token }) => token?.id ?? nativeId));
      if (isWhole && known.length + outputs.length > 0)
        expect(new Set(overview.assets.map(({ token }) => token))).toEqual(ids.add(nativeId));
      for (const asset of overview.assets) {
        expect(asset.out).toBe(String(amountIn(outputs, asset.token, nativeId)));
        expect(asset.in).toBe(isWhole ? String(amountIn(known, asset.token, nativeId)) : "");
        if (!isWhole) {
          expect([asset.minted, asset.burnt]).toEqual(["", ""]);
          continue;
        }
        const [minted, burnt] = [BigInt(asset.minted), BigInt(asset.burnt)];
        expect(BigInt(asset.in) + minted).toBe(BigInt(asset.out) + burnt);
        expect(minted === 0n || burnt === 0n).toBe(true);
        if (minted > 0n) seen.minted += 1;
        if (burnt > 0n) seen.burnt += 1;
      }
      const paid = amountIn(known, nativeId, nativeId) - amountIn(outputs, nativeId, nativeId);
      if (index === 0) expect(overview.fee).toBe("0");
      else if (!isWhole || inputs.length === 0) expect(overview.fee).toBe("");
      else if (known.some(({ kind }) => kind.startsWith("dao-withdrawal"))) seen.withdrawn += 1;
      else if (paid >= 0n) expect(overview.fee).toBe(String(paid));

      const list = (name: "transactionInputs" | "transactionOutputs", pageSize: string) =>
        walkAll<OutputEntry>((cursor) => ask(name, { hash }, { pageSize, cursor }));
      const [ins, outs] = [await list("transactionInputs", "1"), await list("transactionOutputs", "2")];
      expect(ins.map(({ outPoint }) => outPoint)).toEqual(inputs.map(outPointText));
      for (const [i, entry] of ins.entries()) {
        const { outPoint, spent: by } = entry;
        expect(by).toEqual({
          ...{ transaction: hash, height: block.height, time: times.get(block.height) },
        });
        if (spent[i]) spends.set(outPoint, `${hash} ${block.height}`);
        else {
          seen.foreign += 1;
          expect(entry).toMatchObject({
            address: "",
            token: "",
            blockHeight: null,
            amount: "",
            capacity: "",
          });
        }
      }
      expect(outs.map(({ capacity, address }) => [capacity, address])).toEqual(
        outputs.map(({ capacity, address }) => [String(capacity), address.text]),
      );
      for (const [outputIndex, entry] of outs.entries()) {
        const outPoint = outPointText({ transactionHash: hash, outputIndex });
        expect(entry.outPoint).toBe(outPoint);
        expect(await ask("output", { outPoint }, {})).toEqual(entry);
        if (!entry.spent) continue;
        const { transaction, height, time } = entry.spent;
        seen.spent.set(outPoint, `${transaction} ${height}`);
        expect(time).toBe(times.get(height));
      }
    }
  }
  // The inputs of all blocks are the spent outputs, and so are the changes of all addresses.
  expect(seen.spent).toEqual(spends);
  const changed = new Map<string, string>();
  const addresses = [...new Set([...made.values()].map(({ address }) => address.text))];
  for (let i = 0; i < addresses.length; i += MAX_ADDRESSES) {
    const wallet = addresses
      .slice(i, i + MAX_ADDRESSES)
      .map((address): [string, string] => ["address", address]);
    const changes = await walkAll<WalletChange>((cursor) =>
      ask("changes", {}, [...wallet, ["pageSize", "100"], ["cursor", cursor]]),
    );
    for (const { change, outPoint, changeTransaction, changeHeight } of changes)
      if (change === "spent") changed.set(outPoint, `${changeTransaction} ${changeHeight}`);
  }
  expect(changed).toEqual(spends);
  return seen;
}
