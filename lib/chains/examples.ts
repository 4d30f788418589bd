import { readConfig } from "#lib/config.ts";
import bitcoin from "./bitcoin/examples/bitcoin.json" with { type: "json" };
import litecoin from "./bitcoin/examples/litecoin.json" with { type: "json" };
import ckb from "./ckb/examples.json" with { type: "json" };
import type { CHAINS } from "./names.ts";

const all: Record<(typeof CHAINS)[number], typeof ckb | typeof litecoin | typeof bitcoin> = {
  ckb,
  litecoin,
  bitcoin,
};

/** Requests to the served chain's API and the responses to them, an `ApiExamples`. */
export const examples = all[readConfig().CHAIN];
