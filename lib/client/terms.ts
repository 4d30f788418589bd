import type { ChainTerms, ChainWords } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";

/** The words of the served chain, as `#terms` in browsers. Modules load before `provideTerms`, so only functions may read it. */
export let terms: ChainTerms;

/** Must run before anything else renders. Error pages rely on it too: they contain only scripts and these words. */
export function provideTerms(words: ChainWords): void {
  terms = toTerms(words);
}
