import { readConfig } from "#lib/config.ts";
import type { ChainTerms } from "#lib/contract/chain.ts";
import { bitcoinTerms as bitcoin, litecoinTerms as litecoin } from "./bitcoin/terms.ts";
import { terms as ckb } from "./ckb/terms.ts";
import type { CHAINS } from "./names.ts";

const all: Record<(typeof CHAINS)[number], ChainTerms> = { ckb, litecoin, bitcoin };

/** The words of the served chain; outside browsers, `#terms` is this file. */
export const terms = all[readConfig().CHAIN];
