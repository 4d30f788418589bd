import { readConfig } from "#lib/config.ts";
import type { ChainTerms } from "#lib/contract/chain.ts";
import { bitcoinTerms as bitcoin, litecoinTerms as litecoin } from "./bitcoin/terms.ts";
import { terms as ckb } from "./ckb/terms.ts";
import type { CHAINS } from "./names.ts";

const all: Record<(typeof CHAINS)[number], ChainTerms> = { ckb, litecoin, bitcoin };

/** The words of the chain that the setting CHAIN names: `#terms` outside browsers. */
export const terms = all[readConfig().CHAIN];
