import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { ChainTerms } from "#lib/contract/chain.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { parsePrices } from "#lib/indexer/prices.ts";
import { blockTransactions } from "#lib/queries/block-transactions.ts";
import { openStore } from "#lib/store/open.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { bitcoin, litecoin } from "./bitcoin/networks.ts";
import { bitcoinTerms, litecoinTerms } from "./bitcoin/terms.ts";
import { BEGINNING } from "./bitcoin/testing/litecoind.ts";
import { regtestOf } from "./bitcoin/testing/regtest.ts";
import { terms as ckb } from "./ckb/terms.ts";
import { CHAINS } from "./names.ts";

// Other files may share the process, and with it the setting and the modules.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The service's modules, loaded anew with a setting. */
async function loadWith(CHAIN: string) {
  vi.stubEnv("CHAIN", CHAIN);
  vi.resetModules();
  const { chain } = await import("./chain.ts");
  const { examples } = await import("./examples.ts");
  const { openApiDocument } = await import("#lib/reference/openapi.ts");
  const { llmsText } = await import("#lib/reference/llms.ts");
  const { INSTRUCTIONS, tools } = await import("#lib/cli/mcp-tools.ts");
  const { ExampleTaker, steadyParts } = await import("#lib/testing/api-examples.ts");
  const { serveStore } = await import("#lib/testing/demo-server.ts");
  return {
    chain,
    reference: { api: openApiDocument(examples), llms: llmsText(), INSTRUCTIONS, tools },
    serve: (store: Awaited<ReturnType<typeof openStore>>) => serveStore(store, steadyParts),
    ExampleTaker,
  };
}

describe.each([
  ["litecoin", litecoin],
  ["bitcoin", bitcoin],
])("the examples of %s", (name, currency) => {
  test("are real responses, and have for each parameter a value that the server accepts", async () => {
    const { chain, serve, ExampleTaker } = await loadWith(name);
    const { lines, hashes, addresses } = regtestOf(currency);
    const store = await openStore("sqlite::memory:");
    const folder = mkdtempSync(join(tmpdir(), "aqs-examples-"));
    const files = [join(folder, "blocks")];
    writeFileSync(files[0]!, lines.join("\n"));
    expect((await importFiles(store, chain, { files })).refused).toEqual([]);
    rmSync(folder, { recursive: true });
    const { id, name: assetName } = chain.terms.native;
    await store.write(replaceRegistry, [{ id, tags: ["layer-1"] }], []);
    await store.write(
      loadPrices,
      parsePrices(`asset_id,time,usd\n${id},${new Date(BEGINNING * 1000).toISOString()},80.5\n`, "prices"),
    );
    const newest = { blockHash: hashes.at(-1)!, offset: 0, limit: 50, assets: 1 };
    const { rows: transactions } = (await store.query(blockTransactions, newest))!;
    const served = await serve(store);
    const taker = new ExampleTaker({
      served,
      known: {
        address: addresses.artist,
        blockHash: hashes.at(-1)!,
        transaction: transactions.findLast(({ inputs }) => inputs > 0)!.hash,
        asset: id,
        assetName: assetName.toLowerCase(),
        tag: "layer-1",
      },
      unknown: { address: `script:${"51".repeat(9)}`, blockHash: `0x${"12".repeat(32)}` },
      hashAt: (height) => hashes[height]!,
    });
    const found = await taker.take();
    await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(`bitcoin/examples/${name}.json`);
    expect(await taker.faultsIn(found)).toEqual([]);
    await served.close();
  });
});

const termsOf = { ckb, litecoin: litecoinTerms, bitcoin: bitcoinTerms };

/** Texts that only users of the chain write. */
function ownWords({ chain, output, native, smallestUnit, addressForms, kinds }: ChainTerms): string[] {
  const nouns = [
    ...chain.split(" "),
    native.symbol,
    ...Object.values(output),
    ...Object.values(smallestUnit),
  ];
  const starts = addressForms.map(({ start }) => start).filter((start) => start.length > 2);
  // Others are words of everyone.
  const kindWords = Object.keys(kinds).filter((kind) => /[A-Z\d-]/.test(kind));
  return [...nouns, ...nouns.map((noun) => noun.toLowerCase()), ...starts, ...kindWords];
}

test.each(CHAINS)("with CHAIN=%s, the reference has words of no other chain", async (name) => {
  const { reference } = await loadWith(name);
  for (const [part, content] of Object.entries(reference)) {
    const text = JSON.stringify(content);
    // Tools may be used with a server of any chain, whatever is set where they run.
    if (part === "api" || part === "llms") expect(text, part).toContain(termsOf[name].native.symbol);
    const own = ownWords(termsOf[name]);
    const others = CHAINS.flatMap((other) => ownWords(termsOf[other])).filter(
      (word) => !["output", "outputs"].includes(word) && !own.includes(word),
    );
    // An address goes on after its start.
    const foreign = new RegExp(`(?<![\\w-])(${others.join("|")})((?<=1)|(?![\\w-]))`, "g");
    expect(text.match(foreign) ?? [], part).toEqual([]);
  }
});
