import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { TEST_TIMEOUT } from "#lib/testing/timeouts.ts";
import { bitcoin, litecoin } from "./networks.ts";
import { growth, RandomBranch } from "./testing/random-branch.ts";
import { hasRecordedBlocks, recordedFile } from "./testing/recorded-blocks.ts";
import { regtestOf } from "./testing/regtest.ts";

// Other files may share the process, and with it the setting and the modules.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe.each([bitcoin, litecoin])("transactions of $name", (currency) => {
  /** Loads the modules that read the setting of the chain. */
  async function modules() {
    vi.stubEnv("CHAIN", currency.name.toLowerCase());
    vi.resetModules();
    const { chain } = await import("../chain.ts");
    const { asker } = await import("#lib/testing/ask.ts");
    const { expectTransactions } = await import("#lib/testing/expect-transactions.ts");
    const { expectOverTime } = await import("#lib/testing/expect-over-time.ts");
    const { storeBlocks } = await import("#lib/testing/ledger.ts");
    return { chain, asker, storeBlocks, expectTransactions, expectOverTime };
  }

  /** Imports files, and compares every transaction with its blocks. */
  async function expectImported(network: string, files: string[], previousOutputs?: string) {
    const { chain, asker, expectTransactions, expectOverTime } = await modules();
    const store = await openStore("sqlite::memory:");
    const result = await importFiles(store, chain, {
      files,
      network,
      ...(previousOutputs && { previousOutputs }),
    });
    expect(result.refused).toEqual([]);
    const blocks: Block[] = [];
    const known = { network, heightsOf: async (hashes: string[]) => hashes.map(() => null) };
    for await (const read of chain.blockFiles.read(files, known)) blocks.push(read.verify(network));
    const ask = await asker(store);
    const seen = await expectTransactions(ask, blocks, chain.terms.native.id);
    await expectOverTime(ask, blocks, chain.terms.native.id);
    const { hash, transactions } = blocks.at(-1)!;
    const transaction = transactions[0]!.hash;
    // Most tools write hashes without a prefix.
    for (const form of [(name: string) => name, (name: string) => name.slice(2)]) {
      expect(await ask("block", { blockHash: form(hash) }, {})).toMatchObject({ hash });
      expect(await ask("transaction", { hash: form(transaction) }, {})).toMatchObject({ hash: transaction });
      const outPoint = `${transaction}:0`;
      expect(await ask("output", { outPoint: form(outPoint) }, {})).toMatchObject({ outPoint });
    }
    await store.close();
    return seen;
  }

  test("keep every amount of a generated chain", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "aqs-transactions-"));
    const file = join(folder.path, "blocks");
    writeFileSync(file, regtestOf(currency).lines.join("\n"));
    const { minted, spent } = await expectImported("regtest", [file]);
    expect(Math.min(minted, spent.size)).toBeGreaterThan(0);
  });

  test.skipIf(!hasRecordedBlocks)("keep every amount of recorded blocks", async () => {
    if (currency === litecoin) {
      await expectImported("mainnet", [recordedFile("litecoin-mainnet-1-20.hex")]);
      await expectImported("testnet", [recordedFile("litecoin-testnet4-2319633.hex")]);
    } else {
      const [block, outputs] = ["1087400.hex", "1087400-outputs.json"].map((name) =>
        recordedFile(`bitcoin-testnet-${name}`),
      );
      expect((await expectImported("testnet", [block!], outputs)).foreign).toBeGreaterThan(0);
    }
  });

  test.each(engines)(
    "keep every amount on random branches, in $name",
    { timeout: TEST_TIMEOUT * MORE },
    async ({ name, open }) => {
      const { chain, asker, storeBlocks, expectTransactions, expectOverTime } = await modules();
      const { native } = chain.terms;
      const branches = fc.array(fc.tuple(fc.nat({ max: 4 }), growth), { minLength: 1, maxLength: 3 });
      const counts = { spent: 0, forks: 0 };
      await fc.assert(
        fc.asyncProperty(growth, branches, async (first, others) => {
          const store = await open();
          try {
            await store.write(identify, { network: "regtest", native, demo: false });
            let branch = new RandomBranch(currency);
            branch.grow(first);
            await storeBlocks(store, branch.blocks);
            for (const [depth, more] of others) {
              branch = branch.fork(depth);
              const common = branch.blocks.length - 1;
              branch.grow(more);
              counts.forks += Number(depth > 0);
              await store.write(revertTo, common);
              await storeBlocks(store, branch.blocks.slice(common + 1));
            }
            const ask = await asker(store);
            const { spent } = await expectTransactions(ask, branch.blocks, native.id);
            await expectOverTime(ask, branch.blocks, native.id);
            counts.spent += spent.size;
          } finally {
            await store.close();
          }
        }),
        { numRuns: (name === "SQLite" ? 15 : 3) * MORE },
      );
      // Few runs may have none by chance.
      if (name === "SQLite") expect(Math.min(counts.spent, counts.forks)).toBeGreaterThan(0);
    },
  );
});
