import { readConfig } from "#lib/config.ts";
import type { Chain } from "#lib/contract/chain.ts";
import { bitcoin, litecoin } from "./bitcoin/chain.ts";
import { chain as ckb } from "./ckb/chain.ts";
import type { CHAINS } from "./names.ts";

const chains: Record<(typeof CHAINS)[number], Chain> = { ckb, litecoin, bitcoin };

export const chain = chains[readConfig().CHAIN];
