import { afterAll, expect, test, vi } from "vitest";

// Other files may share the process, and with it the setting and the modules.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const TESTS = "mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ";
const SCRIPT = `script:2102${"ab".repeat(32)}ac`;
const OLD = "36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm";
/** The server converts these addresses. The chains' `address.test.ts` tests that it does. */
const FORMS: Readonly<Record<string, string>> = {
  [SCRIPT]: SCRIPT,
  [OLD]: "MCwCgYjt3HcMNerfqPqg5jcJm7aCy89KeQ",
};

test.each([
  ["bitcoin", "mainnet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ""],
  ["bitcoin", "mainnet", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", ""],
  ["bitcoin", "mainnet", SCRIPT, ""],
  ["bitcoin", "mainnet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "with a wrong checksum"],
  ["bitcoin", "mainnet", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mp", "with a wrong checksum"],
  ["bitcoin", "mainnet", TESTS, "without an address of this network"],
  ["bitcoin", "mainnet", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "without an address of this network"],
  ["bitcoin", "testnet", TESTS, ""],
  // Both test networks have this form.
  ["bitcoin", "signet", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""],
  ["bitcoin", "signet", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "without an address of this network"],
  ["litecoin", "regtest", "rltc1qd7ryqttsg38dy05s6jvy0r3ed6qkzjxuam2suj", ""],
  ["litecoin", "mainnet", OLD, ""],
  [
    "litecoin",
    "mainnet",
    "rltc1qd7ryqttsg38dy05s6jvy0r3ed6qkzjxuam2suj",
    "without an address of this network",
  ],
])(
  "on %s's %s, an imported label of %s is read, or left out with a reason",
  async (chain, network, ref, why) => {
    vi.stubEnv("CHAIN", chain);
    vi.resetModules();
    const { importLabels } = await import("./labels-file.ts");
    const { labels, message } = await importLabels(
      { items: () => [] },
      JSON.stringify({ type: "addr", ref, label: "Alice" }),
      network,
      async (addresses) => addresses.map((one) => FORMS[one] ?? null),
    );
    const current = FORMS[ref] ?? ref;
    expect(labels).toEqual(why === "" ? [{ ref: current, label: "Alice" }] : null);
    expect(message).toContain(why);
  },
);
