import type { AddressForm } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";
import { NATIVE_ASSET } from "./constants.ts";
import { kinds } from "./output-kinds.ts";

/** The shortest address has the short format. */
const bech32 = { characters: "02-9ac-hj-np-z", least: 46, anyCase: true };
const BY_HASH = "lock-hash:";
const addressForms: AddressForm[] = [
  { start: "ckb1", network: "mainnet", ...bech32 },
  { start: "ckt1", network: "testnet", ...bech32 },
  {
    start: BY_HASH,
    network: null,
    characters: "0-9a-fx",
    least: 76,
    most: 76,
    anyCase: true,
    fault: `After ${BY_HASH} comes the hash of a lock script, 0x and 64 hex digits`,
  },
];

export const terms = toTerms({
  chain: "Nervos CKB",
  output: { one: "cell", many: "cells" },
  native: NATIVE_ASSET,
  // A cell: a cube seen from a corner.
  nativeMark: "M10 3.6l5.5 3.2v6.4L10 16.4l-5.5-3.2V6.8zM4.5 6.8L10 10l5.5-3.2M10 10v6.4",
  smallestUnit: { one: "shannon", many: "shannons" },
  hasTokens: true,
  confirmations: 24,
  ownConfirmations: 0,
  // A block comes about every ten seconds.
  staleAfterMs: 120_000,
  outPoint: { hash: "tx_hash", index: "index", indexInHex: true },
  kinds,
  lock: "Lock script",
  formerAddressForms: {
    short: "Short address format, still valid, shown in full form.",
    "full-2019": "Old full address format, still valid, shown in its current form.",
    long: "Address of more than 1,000 characters, shown by the hash of its lock script.",
  },
  // The first byte of the current form is 0: its first five bits are "q", and "q", "p", "z" or "r" has its last three.
  formerAddresses: "^lock-hash:|^ck[bt]1q[^qpzr]|^ck.{999}",
  hash: { prefix: "0x", endsDiffer: false },
  addressStarts: ["ckb1", "ckt1"],
  addressForms,
});
