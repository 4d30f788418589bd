/** Compares blocks, wallets and holders that the API shows with the blocks that are indexed. */
import { expect } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import type { BlockEntry } from "#lib/queries/block/contract.ts";
import type { Ask } from "./ask.ts";
import { spendableAfter } from "./followed-chain.ts";
import { statementOf } from "./statement-replay.ts";
import { walkAll } from "./walk-all.ts";

const timeOf = ({ timestamp }: Block) => new Date(timestamp).toISOString();

/** Asks for what these blocks, which are all that is indexed, mean for blocks, for a wallet and for holders at each of them. */
export async function expectOverTime(ask: Ask, blocks: readonly Block[], nativeId: string): Promise<void> {
  for (const block of blocks) {
    const { height, hash, parentHash, transactions } = block;
    const shown = { height, hash, parentHash, time: timeOf(block), canonical: true };
    for (const blockHash of [hash, `${height}`]) {
      const found = await ask("block", { blockHash }, {});
      expect(found).toMatchObject({ ...shown, transactionCount: transactions.length });
    }
    const latest = blocks.findLast(({ timestamp }) => timestamp <= block.timestamp)!;
    expect(await ask("block", { blockHash: timeOf(block) }, {})).toMatchObject({ hash: latest.hash });
  }
  const listed = await walkAll<BlockEntry>((cursor) => ask("blocks", {}, { pageSize: "7", cursor }));
  expect(listed.map(({ hash }) => hash)).toEqual(blocks.map(({ hash }) => hash).toReversed());
  await expectWallet(ask, blocks, nativeId);
  for (const [i, block] of blocks.entries())
    await expectHolders(ask, blocks.slice(0, i + 1), block, nativeId);
}

/** A wallet of up to 100 of the addresses has the statement that a replay of the blocks gives, in both orders. */
async function expectWallet(ask: Ask, blocks: readonly Block[], nativeId: string): Promise<void> {
  const outputs = blocks.flatMap(({ transactions }) => transactions).flatMap(({ outputs }) => outputs);
  const owners = new Map(outputs.map(({ address }) => [address.key, address.text]));
  const wallet = [...owners].slice(0, MAX_ADDRESSES);
  const addresses = wallet.map(([, text]): [string, string] => ["address", text]);
  for (const per of ["block", "transaction"] as const) {
    const keys = wallet.map(([key]) => key);
    const lines = statementOf(blocks, keys, nativeId, per);
    for (const order of ["asc", "desc"]) {
      const shown = await walkAll((cursor) =>
        ask("statement", {}, [...addresses, ...Object.entries({ per, order, pageSize: "50", cursor })]),
      );
      expect(shown).toEqual(order === "asc" ? lines : lines.toReversed());
    }
  }
}

/** After a block, each asset's holders have what its live outputs add up to. */
async function expectHolders(
  ask: Ask,
  until: readonly Block[],
  { hash }: Block,
  nativeId: string,
): Promise<void> {
  const outputs = until.flatMap(({ transactions }) => transactions).flatMap(({ outputs }) => outputs);
  const held = new Map(outputs.map(({ token }) => [token?.id ?? nativeId, new Map<string, bigint>()]));
  for (const { output } of spendableAfter(until)) {
    const { address, token, amount } = output;
    const holders = held.get(token?.id ?? nativeId)!;
    holders.set(address.text, (holders.get(address.text) ?? 0n) + amount);
  }
  for (const [id, holders] of held) {
    const listed = await walkAll<Holder>((cursor) =>
      ask("assetHolders", { id }, { at: hash, pageSize: "100", cursor }),
    );
    expect(new Map(listed.map(({ address, amount }) => [address, BigInt(amount)]))).toEqual(holders);
  }
}
