/**
 * Addresses and the lock scripts that they stand for. Source: RFC 21 (the full form, and two deprecated forms that are
 * still in use); `rgbpp.mol` of ckb-cell/rgbpp for args that bind a cell to Bitcoin.
 */
import { bech32, bech32m } from "@scure/base";
import { AddressError, type ParsedAddress } from "#lib/contract/chain.ts";
import type { Address, AddressText } from "#lib/contract/ledger.ts";
import { scriptHash } from "./hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "./hex.ts";
import { type KnownLock, knownLock, NETWORKS, type Network } from "./known-scripts.ts";
import { expectLength, hashTypeOfByte, readFields, readOrNull, readScript } from "./molecule.ts";
import { type HashType, hashTypeBytes, type NodeScript } from "./schema.ts";

const fault = (kind: string, message: string) => new AddressError(`address_${kind}`, message);

/** `full` is the current form. `full-2019` and `short` are deprecated: `terms.formerAddressForms` has their notes. */
export type AddressFormat = "full" | "full-2019" | "short";

export interface DecodedAddress {
  script: NodeScript;
  network: Network;
  format: AddressFormat;
}

const prefixes: Readonly<Record<Network, string>> = { mainnet: "ckb", testnet: "ckt" };
const networkNames: Readonly<Record<Network, string>> = { mainnet: "Mainnet", testnet: "Testnet" };
const NOT_DATA_CHARACTER = /[^qpzry9x8gf2tvdw0s3jn54khce6mua7l]/;
const CHECKSUM_LENGTH = 6;

const SHORT_ARGS = 20;
const shortForm = (mainnet: string, testnet = mainnet, maximum = SHORT_ARGS) => ({
  codeHashes: { mainnet, testnet },
  maximum,
});
/** The lock scripts by the short form's second byte, and the most bytes of their args. */
const shortForms = [
  // secp256k1-blake160
  shortForm("0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8"),
  // secp256k1 multisig
  shortForm("0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8"),
  // anyone-can-pay, whose args may end with its two minimum amounts, a byte each
  shortForm(
    "0xd369597ff47f29fbc0d47d2e3775370d1250b85140c670e4718af712983a2354",
    "0x3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356",
    SHORT_ARGS + 2,
  ),
];

/** Writes the full form, in lower case. */
export function encodeAddress({ code_hash, hash_type, args }: NodeScript, network: Network): string {
  const start = [Buffer.of(0), hexToBytes(code_hash), Buffer.of(hashTypeBytes.get(hash_type)!)];
  const payload = Buffer.concat([...start, hexToBytes(args)]);
  return bech32m.encode(prefixes[network], bech32m.toWords(payload), false);
}

/** Maximum number of bytes of args that an address shows, so that it has at most 1,000 characters. */
const MAX_SHOWN_ARGS = 584;
const HASH_PREFIX = "lock-hash:0x";
const HASH_FORM = new RegExp(`^${HASH_PREFIX}[0-9a-f]{64}$`);

/** The key is the script's hash. The text is the full form, or for very long args that hash after `lock-hash:`. */
export function addressOf(lock: NodeScript, network: Network): Address {
  const key = scriptHash(lock);
  const isLong = byteLength(lock.args) > MAX_SHOWN_ARGS;
  return { key, text: isLong ? `lock-hash:${key}` : encodeAddress(lock, network) };
}

/** The lock script of an address as `addressOf` writes it; null if its text is only the script's hash. */
export function lockOf({ text }: AddressText): NodeScript | null {
  return text.startsWith(HASH_PREFIX) ? null : decodeAddress(text).script;
}

/** Reads any form, of either network, in lower or upper case. Throws AddressError. */
export function decodeAddress(text: string): DecodedAddress {
  // The lower case of a character beyond ASCII could be a valid one.
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw fault("malformed", "An address holds only letters and digits, with no spaces");
  }
  const lower = text.toLowerCase();
  // The prefix comes first: addresses of other chains may well mix cases.
  const network = networkOf(lower);
  if (text !== lower && text !== text.toUpperCase()) {
    throw fault("case", "An address is all lower case or all upper case, not a mix");
  }
  const data = lower.slice(prefixes[network].length + 1);
  const invalid = NOT_DATA_CHARACTER.exec(data);
  if (invalid !== null) {
    const place = text.length - data.length + invalid.index + 1;
    throw fault("malformed", `Character ${place} of the address, "${invalid[0]}", cannot occur in one`);
  }
  if (data.length <= CHECKSUM_LENGTH) throw fault("length", "The address is too short");

  // The two checksums differ by a constant, so a text passes at most one of them.
  const modern = bech32m.decodeUnsafe(lower, false);
  const decoded = modern ?? bech32.decodeUnsafe(lower, false);
  if (!decoded) {
    throw fault("checksum", "The checksum does not match: a character is wrong, missing or added");
  }
  const payload = bech32m.fromWordsUnsafe(decoded.words);
  if (!payload) throw fault("padding", "The address does not end with a whole byte, padded with zero bits");
  return { ...readPayload(payload, network, modern !== undefined), network };
}

function networkOf(lower: string): Network {
  const network = NETWORKS.find((each) => lower.startsWith(`${prefixes[each]}1`));
  if (network === undefined)
    throw fault("prefix", "A CKB address starts with ckb1 (mainnet) or ckt1 (testnet)");
  return network;
}

function readPayload(
  payload: Uint8Array,
  network: Network,
  modern: boolean,
): Omit<DecodedAddress, "network"> {
  const kind = payload[0];
  if (kind !== 0 && kind !== 1 && kind !== 2 && kind !== 4) {
    throw fault("format", `Unknown address format ${kind}; the known ones are 0, 1, 2 and 4`);
  }
  if (modern !== (kind === 0)) {
    throw fault(
      "checksum",
      kind === 0
        ? "A full address has the Bech32m checksum; this one has the older Bech32 checksum"
        : "An address of a deprecated format has the Bech32 checksum; this one has the Bech32m checksum",
    );
  }
  if (kind === 1) return { script: readShortForm(payload, network), format: "short" };

  const argsStart = kind === 0 ? 34 : 33;
  if (payload.length < argsStart) {
    throw fault("length", `The address holds ${payload.length} bytes; its format has at least ${argsStart}`);
  }
  const hashType: HashType | null = kind === 0 ? hashTypeOfByte(payload[33]!) : kind === 2 ? "data" : "type";
  if (hashType === null) {
    throw fault("hash-type", `Unknown hash type ${payload[33]}; a script has 1 or an even number`);
  }
  const [code_hash, args] = [bytesToHex(payload.subarray(1, 33)), bytesToHex(payload.subarray(argsStart))];
  return { script: { code_hash, hash_type: hashType, args }, format: kind === 0 ? "full" : "full-2019" };
}

function readShortForm(payload: Uint8Array, network: Network): NodeScript {
  if (payload.length < 2) throw fault("length", "The address ends before it names a lock script");
  const form = shortForms[payload[1]!];
  if (form === undefined) {
    throw fault(
      "format",
      `Unknown lock script ${payload[1]} in a short address; the known ones are 0, 1 and 2`,
    );
  }
  const args = payload.subarray(2);
  const { codeHashes, maximum } = form;
  if (args.length < SHORT_ARGS || args.length > maximum) {
    const expected = maximum === SHORT_ARGS ? SHORT_ARGS : `${SHORT_ARGS} to ${maximum}`;
    throw fault("length", `The short address holds ${args.length} bytes of arguments; expected ${expected}`);
  }
  return { code_hash: codeHashes[network], hash_type: "type", args: bytesToHex(args) };
}

/** Reads any form of an address of the `served` network, or of both if that is null. Throws AddressError. */
export function parseAddress(text: string, served: Network | null): ParsedAddress {
  const lower = text.toLowerCase();
  if (HASH_FORM.test(lower)) {
    const key = lower.slice(HASH_PREFIX.length - 2);
    const lockFacts = [{ name: "Hash", value: key }];
    return { key, text: lower, formerForm: null, isHash: true, lockName: null, lockFacts };
  }
  const { script, network, format } = decodeAddress(text);
  if (served !== null && network !== served) {
    throw fault("network", `${networkNames[network]} address; this server reads ${served}`);
  }
  const known = knownLock(script, network);
  const address = addressOf(script, network);
  const isLong = address.text.startsWith(HASH_PREFIX);
  return {
    ...address,
    formerForm: isLong ? "long" : format === "full" ? null : format,
    isHash: false,
    lockName: known?.name ?? null,
    lockFacts: [
      { name: "Code hash", value: script.code_hash },
      { name: "Hash type", value: script.hash_type },
      { name: "Args", value: script.args },
      ...bitcoinFacts(hexToBytes(script.args), known?.args, network),
    ],
  };
}

/** Reads the args of a lock that binds its cells to Bitcoin; empty if they do not have its layout. */
function bitcoinFacts(args: Buffer, layout: KnownLock["args"], network: Network) {
  // Struct of out index `Uint32` and txid `Byte32`.
  if (layout === "rgbpp" && args.length === 36) {
    return [{ name: "Bitcoin output", value: `${txid(args.subarray(4))}:${args.readUInt32LE()}` }];
  }
  if (layout !== "bitcoin-time") return [];
  const facts = readOrNull(() => {
    // Table of lock script `Script`, after `Uint32` and txid `Byte32`.
    const [owner, after, transaction] = readFields(args, 3, "Args");
    return [
      { name: "Bitcoin transaction", value: txid(expectLength(transaction!, 32, "A txid")) },
      { name: "Confirmations needed", value: `${expectLength(after!, 4, "A number").readUInt32LE()}` },
      { name: "Goes to", value: addressOf(readScript(owner!), network).text },
    ];
  });
  return facts ?? [];
}

/** Writes a transaction id in reverse, as Bitcoin's users do. */
const txid = (bytes: Buffer): string => Buffer.from(bytes).reverse().toString("hex");
