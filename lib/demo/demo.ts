import { CHAINS } from "#lib/chains/names.ts";
import { readConfig } from "#lib/config.ts";
import type { GenerateDemo, StartDemo } from "#lib/demo/types.ts";

/** A generated chain, or a real node. */
type Demo = { generate: GenerateDemo } | { start: StartDemo };

const demos: Record<(typeof CHAINS)[number], (() => Promise<Demo>) | null> = {
  ckb: async () => ({ generate: (await import("./ckb/demo.ts")).generateDemo }),
  litecoin: async () => ({ start: (await import("./bitcoin/demo.ts")).startDemo }),
  bitcoin: null,
};

/** The chains that have a demo. */
export const demoChains = CHAINS.filter((name) => demos[name] !== null);

/** The demo of the chain that the setting CHAIN names. Throws an Error if it has none. */
export function demoOfChain(): Promise<Demo> {
  const { CHAIN } = readConfig();
  const demo = demos[CHAIN];
  if (demo) return demo();
  throw new Error(`There is no demo of ${CHAIN}, only of ${demoChains.join(" and ")}`);
}
