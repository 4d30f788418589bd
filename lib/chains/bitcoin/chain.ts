import type { Chain, ChainTerms } from "#lib/contract/chain.ts";
import { parseAddress } from "./address.ts";
import { blockFilesOf } from "./files.ts";
import { bitcoin as bitcoinCurrency, type Currency, litecoin as litecoinCurrency } from "./networks.ts";
import { outputStates } from "./output-states.ts";
import { bitcoinTerms, litecoinTerms } from "./terms.ts";

/** A chain that shares Bitcoin's formats. Code that only some commands need is imported when they use it. */
const chainOf = (currency: Currency, terms: ChainTerms, rpcPort: number): Chain => ({
  terms,
  networks: currency.networks.map(({ name }) => name),
  parseAddress: (text, network) => parseAddress(text, currency, network),
  assetIdFault: (id) => (id === terms.native.id ? null : `is not ${terms.native.id}, the only asset`),
  outputStates: (address) => outputStates(currency, address),
  paidWhenSpent: null,
  blockFiles: blockFilesOf(currency),
  node: {
    help: `the node's JSON-RPC, such as http://127.0.0.1:${rpcPort}`,
    hasCookie: true,
    needsForEarlier: "txindex=1 in the node's settings",
    async connect(url, options) {
      const { BitcoinNode } = await import("./node.ts");
      return new BitcoinNode(currency, url, options);
    },
  },
});

export const bitcoin = chainOf(bitcoinCurrency, bitcoinTerms, 8332);
export const litecoin = chainOf(litecoinCurrency, litecoinTerms, 9332);
