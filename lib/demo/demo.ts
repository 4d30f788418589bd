import type { CHAINS } from "#lib/chains/names.ts";
import { readConfig } from "#lib/config.ts";
import type { GenerateDemo } from "#lib/contract/chain.ts";

const demos: Record<(typeof CHAINS)[number], () => Promise<GenerateDemo>> = {
  ckb: async () => (await import("./ckb/demo.ts")).generateDemo,
};

/** The demo of the chain that the setting CHAIN names. */
export const loadGenerator = () => demos[readConfig().CHAIN]();
