import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { openStore } from "#lib/store/open.ts";
import { bitcoin, litecoin } from "./networks.ts";
import { hasRecordedBlocks, recordedFile } from "./testing/recorded-blocks.ts";
import { regtestOf } from "./testing/regtest.ts";

// Other files may share the process, and with it the setting and the modules.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe.each([bitcoin, litecoin])("transactions of $name", (currency) => {
  /** Imports a file, and compares every transaction with its blocks. */
  async function expectImported(network: string, file: string, previousOutputs?: string) {
    vi.stubEnv("CHAIN", currency.name.toLowerCase());
    vi.resetModules();
    const { chain } = await import("../chain.ts");
    const { asker } = await import("#lib/testing/ask.ts");
    const { expectTransactions } = await import("#lib/testing/expect-transactions.ts");
    const store = await openStore("sqlite::memory:");
    const files = [file];
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
    const { minted, spent } = await expectImported("regtest", file);
    expect(Math.min(minted, spent.size)).toBeGreaterThan(0);
  });

  test.skipIf(!hasRecordedBlocks)("keep every amount of recorded blocks", async () => {
    if (currency === litecoin) await expectImported("mainnet", recordedFile("litecoin-mainnet-1-20.hex"));
    else {
      const [block, outputs] = ["1087400.hex", "1087400-outputs.json"].map((name) =>
        recordedFile(`bitcoin-testnet-${name}`),
      );
      expect((await expectImported("testnet", block!, outputs)).foreign).toBeGreaterThan(0);
    }
  });
});
