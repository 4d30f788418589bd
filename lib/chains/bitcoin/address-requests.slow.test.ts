import { afterAll, describe, expect, test, vi } from "vitest";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { bitcoin, type Currency, litecoin } from "./networks.ts";
import { bitcoinVectors, refused } from "./testing/vectors.ts";

// Other files may share the process, and with it the setting and the modules.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Asks for the outputs of an address, in a database of each network that holds nothing yet. */
async function serve({ name, native, networks }: Currency) {
  vi.stubEnv("CHAIN", name.toLowerCase());
  vi.resetModules();
  const { asker } = await import("#lib/testing/ask.ts");
  const served = await Promise.all(
    networks.map(async (network) => {
      const store = await openStore("sqlite::memory:");
      await store.write(identify, { network: network.name, native, demo: false });
      return { network: network.name, store, ask: await asker(store) };
    }),
  );
  return {
    outputsOf: (address: string, wanted: string | null) =>
      served
        .find(({ network }) => wanted === null || network === wanted)!
        .ask("addressUtxos", { address }, {}),
    close: () => Promise.all(served.map(({ store }) => store.close())),
  };
}

describe.each([bitcoin, litecoin])("the API on $name", (currency) => {
  const vectors = currency === bitcoin ? bitcoinVectors : [];

  test("takes each form of an address of its network, and says what is wrong with any other text", async () => {
    const { outputsOf, close } = await serve(currency);
    const nothing = { result: [], hasNext: false, lastCursor: "" };
    for (const [network, text, script] of vectors) {
      expect(await outputsOf(text, network), text).toEqual(nothing);
      expect(await outputsOf(`script:${script}`, network), text).toEqual(nothing);
    }
    for (const [, network, text, code] of refused.filter(([of]) => of === currency)) {
      await expect(outputsOf(text, network), text).rejects.toMatchObject({
        code: "BAD_REQUEST",
        issues: [{ path: ["path", "address"], code }],
      });
    }
    await close();
  });
});
