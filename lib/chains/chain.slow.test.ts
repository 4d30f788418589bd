import { afterAll, describe, expect, test, vi } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { readConfig } from "#lib/config.ts";
import type { ChainWords } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
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
  const { terms } = await import("./terms.ts");
  const { detect } = await import("#lib/client/detect.ts");
  const { createService } = await import("#lib/api/service.ts");
  const { dataStatus } = await import("#lib/queries/status.ts");
  return { chain, terms, detect, createService, dataStatus };
}

describe.each(CHAINS)("with CHAIN=%s", (name) => {
  test("the server has that chain, and browsers get all of its words as JSON", async () => {
    const { chain, terms } = await loadWith(name);
    expect(chain.terms).toBe(terms);
    const sent = toTerms(JSON.parse(JSON.stringify(terms.words)) as ChainWords);
    expect(sent.words).toEqual(terms.words);
    for (const kind of Object.keys(terms.kinds)) {
      expect(sent.outputKind(`${kind}@12`, 7)).toEqual(terms.outputKind(`${kind}@12`, 7));
    }
  });

  test("each start of an address begins one, and a height or a hash is none", async () => {
    const { terms, detect } = await loadWith(name);
    for (const start of terms.addressStarts) {
      expect(terms.addressForms.some((form) => form.start.startsWith(start.slice(0, 1)))).toBe(true);
    }
    for (const height of ["1234567", "3", "13", "200000"]) {
      expect(detect(height)).toEqual({ kind: "block-number", height: Number(height) });
    }
    const digits = 64;
    for (const hash of [`0x${"1f".repeat(digits / 2)}`, "3e".repeat(digits / 2)]) {
      expect(detect(hash)).toEqual({ kind: "block-hash", hash: `0x${hash.replace("0x", "")}` });
      expect(detect(`${hash}:3`)).toMatchObject({ kind: "out-point", outputIndex: 3 });
    }
  });

  test("a database of another chain is not served", async () => {
    const { chain, createService, dataStatus } = await loadWith(name);
    const store = await openStore("sqlite::memory:");
    const native =
      chain.terms.native.id === NATIVE_ASSET.id ? { ...NATIVE_ASSET, id: "0x80000002" } : NATIVE_ASSET;
    await store.write(identify, { network: "mainnet", native, demo: false });
    await expect(createService(store, readConfig({ LOG_LEVEL: "silent" }))).rejects.toThrow(
      `The database holds CKB, but the setting CHAIN names ${chain.terms.chain}`,
    );
    await expect(store.query(dataStatus)).rejects.toThrow("The database holds CKB");
    await expect(
      store.write(identify, { network: "mainnet", native: chain.terms.native, demo: false }),
    ).rejects.toThrow(/^This database holds mainnet of CKB; mainnet of .+ cannot be mixed into it$/);
    await store.close();
  });
});

test.each([
  ["bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "mainnet"],
  ["bitcoin", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "mainnet"],
  ["bitcoin", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "mainnet"],
  ["bitcoin", "36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm", "mainnet"],
  ["bitcoin", "mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ", null],
  ["bitcoin", `script:2102${"ab".repeat(32)}ac`, null],
  ["litecoin", "rltc1qd7ryqttsg38dy05s6jvy0r3ed6qkzjxuam2suj", "regtest"],
])("on %s, %s is an address", async (chain, text, network) => {
  const { detect } = await loadWith(chain);
  const address = text.startsWith("BC1") ? text.toLowerCase() : text;
  expect(detect(text)).toEqual({ kind: "address", address, network });
});

test("on bitcoin, a text that only begins like an address may be something else", async () => {
  const { detect } = await loadWith("bitcoin");
  expect(detect("1inch")).toMatchObject({ kind: "fault", isName: true });
  expect(detect("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3tb")).toMatchObject({
    message: "Character 42 cannot be in an address",
  });
});
