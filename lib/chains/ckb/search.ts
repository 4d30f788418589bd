import type { ChainSearch } from "#lib/contract/chain.ts";

/** By what an address begins with. */
const networks: Readonly<Record<string, string>> = { ckb1: "mainnet", ckt1: "testnet" };
const PREFIX_LENGTH = 4;
const BECH32_TEXT = /^[02-9ac-hj-np-z]+$/;
/** Of the shortest address, in the short format. */
const LEAST_LENGTH = 46;
const BY_HASH = "lock-hash:";
const HASH = /^0x[0-9a-f]{64}$/;

export const search: ChainSearch = {
  addressStarts: Object.keys(networks),
  hashDigits: 64,
  hashPrefix: "0x",
  detectAddress(text) {
    const lower = text.toLowerCase();
    if (lower.startsWith(BY_HASH)) {
      if (HASH.test(lower.slice(BY_HASH.length))) return { address: lower, network: null };
      return { fault: `After ${BY_HASH} comes the hash of a lock script, 0x and 64 hex digits` };
    }
    const network = networks[lower.slice(0, PREFIX_LENGTH)];
    if (network === undefined) return null;
    const address = text === text.toUpperCase() ? lower : text;
    if (/\s/.test(address)) return { fault: "An address has no spaces inside" };
    if (address !== lower) {
      return { fault: "An address is all lower case or all upper case, not mixed" };
    }
    const body = address.slice(PREFIX_LENGTH);
    if (body === "") return { fault: "The address ends after its prefix" };
    if (!BECH32_TEXT.test(body)) {
      const at = [...body].findIndex((character) => !BECH32_TEXT.test(character));
      return { fault: `Character ${PREFIX_LENGTH + at + 1} cannot be in an address` };
    }
    // A text that is a little too short is left to the server, whose message is more exact.
    if (body.length < 40) {
      return { fault: `${address.length} characters, an address has at least ${LEAST_LENGTH}` };
    }
    return { address, network };
  },
};
