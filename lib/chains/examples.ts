import { readConfig } from "#lib/config.ts";
import ckb from "./ckb/examples.json" with { type: "json" };
import type { CHAINS } from "./names.ts";

const all: Record<(typeof CHAINS)[number], typeof ckb> = { ckb, litecoin: ckb, bitcoin: ckb };

/** Requests to the served chain's API and their answers, an `ApiExamples`. */
export const examples = all[readConfig().CHAIN];
