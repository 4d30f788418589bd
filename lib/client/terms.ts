import type { ChainTerms, ChainWords } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";

/** The words of the served chain: `#terms` in browsers. Modules load before `provideTerms`, so only functions may read it. */
export let terms: ChainTerms;

/** Must be called with what the server gives before anything else is drawn. Pages of errors have nothing but scripts and this. */
export function provideTerms(words: ChainWords): void {
  terms = toTerms(words);
}
