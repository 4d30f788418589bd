import type { AddressForm, ChainTerms, ChainWords, Noun } from "#lib/contract/chain.ts";
import { toTerms } from "#lib/contract/terms.ts";
import { bitcoin, type Currency, litecoin } from "./networks.ts";

export const kinds = {
  p2pkh: { label: "P2PKH", about: "Pays to the hash of a public key." },
  p2sh: { label: "P2SH", about: "Pays to the hash of a script." },
  p2wpkh: { label: "P2WPKH", about: "Pays to the hash of a public key, as a witness program." },
  p2wsh: { label: "P2WSH", about: "Pays to the hash of a script, as a witness program." },
  p2tr: { label: "P2TR", about: "Pays to a Taproot key." },
  p2pk: { label: "P2PK", about: "Pays to a bare public key." },
  multisig: { label: "Multisig", about: "Pays to several bare public keys." },
  data: { label: "Data", about: "Holds data. Nobody can spend it." },
  anchor: { label: "Anchor", about: "Anyone can spend it, to pay a fee for the transaction that made it." },
  witness: { label: "Witness", about: "Pays to a witness program that has no meaning yet." },
  script: { label: "Script", about: "Pays to a script of no known form." },
  mweb: { label: "MWEB", about: "Stands for the coins in the extension blocks." },
  coinbase: {
    label: "Immature",
    about: "The reward of a block, which can be spent 100 blocks later.",
    block: { name: "Can be spent in block" },
  },
  pegout: {
    label: "Immature",
    about: "Left the extension blocks, and can be spent 6 blocks later.",
    block: { name: "Can be spent in block" },
  },
} satisfies ChainWords["kinds"];

/** Starts of public and private extended keys of both currencies (SLIP 132). */
export const EXTENDED_KEY_STARTS = [
  ...["x", "y", "z", "t", "u", "v", "Y", "Z", "U", "V"].flatMap((start) => [`${start}pub`, `${start}prv`]),
  ...["Ltub", "Ltpv", "Mtub", "Mtpv", "ttub", "ttpv"],
];
export const EXTENDED_KEY =
  "An extended key stands for many addresses, which this service cannot derive: look up each address";

const BECH32 = { characters: "02-9ac-hj-np-z", least: 14, most: 90, anyCase: true };
const BASE58 = { characters: "1-9A-HJ-NP-Za-km-z", least: 26, most: 35, anyCase: false };
const SCRIPT = { network: null, anyCase: true };
const SCRIPT_FAULT = "After script: comes a locking script in hex";
const HASH_FAULT = "After script-hash: comes the hash of a script, 64 hex digits";

/** @param base58Starts the first characters of each network's base58 addresses */
function formsOf({ networks }: Currency, base58Starts: Readonly<Record<string, string>>): AddressForm[] {
  // No text with such a start is an address.
  const extended = { network: null, characters: "", anyCase: false, fault: EXTENDED_KEY };
  return [
    ...networks.map(({ name, bech32 }) => ({ start: `${bech32}1`, network: name, ...BECH32 })),
    { start: "script-hash:", ...SCRIPT, characters: "0-9a-fx", least: 76, most: 78, fault: HASH_FAULT },
    { start: "script:", ...SCRIPT, characters: "0-9a-f", least: 9, most: 999, fault: SCRIPT_FAULT },
    ...EXTENDED_KEY_STARTS.map((start) => ({ start, ...extended, least: start.length + 1 })),
    // Heights, hashes and names may begin like base58 addresses.
    ...Object.entries(base58Starts).flatMap(([network, starts]) =>
      [...starts].map((start) => ({ start, network: network || null, ...BASE58, fault: null })),
    ),
  ];
}

function termsOf(
  currency: Currency,
  own: Pick<
    ChainWords,
    "nativeMark" | "smallestUnit" | "staleAfterMs" | "addressStarts" | "addressForms" | "formerAddresses"
  >,
): ChainTerms {
  return toTerms({
    chain: currency.name,
    output: { one: "output", many: "outputs" },
    native: currency.native,
    hasTokens: false,
    confirmations: 6,
    ownConfirmations: 1,
    outPoint: { hash: "txid", index: "vout", indexInHex: false },
    kinds,
    lock: "Script",
    formerAddressForms: {
      script: "The script of this address, shown as the address.",
      p2sh: "Another form of this address, still valid.",
    },
    hash: { prefix: "", endsDiffer: true },
    ...own,
  });
}

const unit = (one: string): Noun => ({ one, many: `${one}s` });

export const bitcoinTerms = termsOf(bitcoin, {
  // Two strokes through the middle.
  nativeMark: "M8 3v14M11 3v14M6 5h6.2a2.4 2.4 0 0 1 0 5H6M6 10h7a2.5 2.5 0 0 1 0 5H6",
  smallestUnit: unit("satoshi"),
  // A block comes about every ten minutes; one in a thousand takes longer than an hour.
  staleAfterMs: 90 * 60_000,
  addressStarts: ["bc1", "1", "3"],
  addressForms: formsOf(bitcoin, { mainnet: "13", "": "mn2" }),
  formerAddresses: "^script(?:-hash)?:",
});

export const litecoinTerms = termsOf(litecoin, {
  // A stroke across the stem.
  nativeMark: "M9 3L6 16h9M5.5 11.5L12 8.5",
  smallestUnit: unit("litoshi"),
  // A block comes about every two and a half minutes.
  staleAfterMs: 25 * 60_000,
  addressStarts: ["ltc1", "L", "M"],
  addressForms: formsOf(litecoin, { mainnet: "LM3", "": "mnQ2" }),
  formerAddresses: "^(?:script(?:-hash)?:|[32])",
});
