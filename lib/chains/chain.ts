import { readConfig } from "#lib/config.ts";
import type { Chain } from "#lib/contract/chain.ts";
import { chain as ckb } from "./ckb/chain.ts";
import type { CHAINS } from "./names.ts";

const chains: Record<(typeof CHAINS)[number], Chain> = { ckb };

/** The chain that the setting CHAIN names. */
export const chain = chains[readConfig().CHAIN];
