import type { ChainWords } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";

/** The words of the served chain, which the server writes into each document: `#terms` in browsers. */
export const terms = toTerms(JSON.parse(document.documentElement.dataset.chain!) as ChainWords);
