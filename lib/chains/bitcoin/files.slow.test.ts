import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { importFiles } from "#lib/indexer/import.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { openStore } from "#lib/store/open.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { litecoin } from "./chain.ts";
import { hasLitecoind, Litecoind, WITHOUT_MWEB } from "./testing/litecoind.ts";
import { PAYER, SUBSIDY, signed } from "./testing/payments.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

const MATURITY = 100;
const ANYONE = "51";
const FEES = [1_234n, 56_789n];

test.skipIf(!hasLitecoind)("a node's own file is imported, and its rewards claim the fees", async () => {
  await using node = await Litecoind.start(WITHOUT_MWEB);
  const mine = async (blocks: number) =>
    node.call<string[]>("generatetodescriptor", blocks, await node.descriptorOf(ANYONE));
  const blocks = await mine(MATURITY + FEES.length);
  for (const [i, fee] of FEES.entries()) {
    const [txid] = (await node.call<{ tx: string[] }>("getblock", blocks[i])).tx;
    const coin = { txid: txid!, vout: 0, script: ANYONE, amount: SUBSIDY };
    const raw = await signed(node, [coin], [{ amount: SUBSIDY - fee, script: PAYER }]);
    await node.call("sendrawtransaction", raw, 0);
  }
  await mine(1);
  const store = await openStore("sqlite::memory:");
  const files = [join(dirname(node.cookie), "blocks/blk00000.dat")];
  const height = MATURITY + FEES.length + 1;
  expect(await importFiles(store, litecoin, { files })).toMatchObject({ stored: height + 1, refused: [] });
  const sumOf = (list: readonly { output: { capacity: bigint } }[]) =>
    list.reduce((sum, { output }) => sum + output.capacity, 0n);
  const [reward, ...others] = (await store.query(storedBlock, height)).transactions;
  const fees = others.map(({ inputs, outputs }) => sumOf(inputs) - sumOf(outputs));
  expect(fees.toSorted((a, b) => Number(a - b))).toEqual(FEES);
  expect(sumOf(reward!.outputs)).toBe(SUBSIDY + FEES[0]! + FEES[1]!);
  const dump = await canonicalDump(store);
  await store.close();

  // Two files, each of which spends what is in the other one, with the highest blocks first.
  const bytes = readFileSync(files[0]!);
  const records: Buffer[] = [];
  for (let at = 0; bytes.readUInt32LE(at) !== 0; ) {
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    records.push(bytes.subarray(at, end));
    at = end;
  }
  records.reverse();
  using folder = mkdtempDisposableSync(join(tmpdir(), "aqs-blocks-"));
  const dealt = [0, 1].map((which) => {
    const file = join(folder.path, `blk0000${which}.dat`);
    writeFileSync(file, Buffer.concat(records.filter((_, i) => (i >> 1) % 2 === which)));
    return file;
  });
  const again = await openStore("sqlite::memory:");
  expect(await importFiles(again, litecoin, { files: dealt })).toMatchObject({
    stored: height + 1,
    refused: [],
  });
  expect(await canonicalDump(again)).toBe(dump);
  await again.close();
});
