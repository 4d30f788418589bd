/**
 * Addresses and the locking scripts that they stand for: base58check, bech32 (BIP 173) and bech32m (BIP 350). The text of a
 * script without an address is `script:` and its hex, or `script-hash:` and its hash if it is empty or long.
 */
import { hash } from "node:crypto";
import { bech32, bech32m, createBase58check } from "@scure/base";
import { AddressError, type ParsedAddress } from "#lib/contract/chain.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { sha256 } from "./hashes.ts";
import type { Currency, Network } from "./networks.ts";
import {
  type AddressProgram,
  formOf,
  isUnspendable,
  p2pkhScript,
  p2shScript,
  type ScriptKind,
  witnessScript,
} from "./script.ts";
import { EXTENDED_KEY, EXTENDED_KEY_STARTS, kinds } from "./terms.ts";

const fault = (kind: string, message: string) => new AddressError(`address_${kind}`, message);

const base58check = createBase58check((bytes: Uint8Array) => sha256(bytes));

/** Maximum length of a script that is shown in hex, in bytes. */
const MAX_SHOWN_BYTES = 496;
const SCRIPT_PREFIX = "script:";
const SCRIPT_FORM = /^script:((?:[0-9a-f]{2})+)$/;
const MAX_TEXT = SCRIPT_PREFIX.length + 2 * MAX_SHOWN_BYTES;
const MAX_BECH32 = 90;
const HASH_PREFIX = "script-hash:";
const HASH_FORM = new RegExp(`^${HASH_PREFIX}(?:0x)?([0-9a-f]{64})$`);

const WRONG_CHECKSUM = "The checksum does not match: a character is wrong, missing or added";
const NEVER_LISTED =
  "Nobody can ever spend an output of this script, so its outputs are listed nowhere, however many there are.";

/** The key is the SHA-256 hash of the script, so all texts of a script share it. */
export function addressOf(script: Buffer, network: Network, { kind, program } = formOf(script)): Address {
  const key = `0x${hash("sha256", script)}`;
  if (program) return { key, text: encode(kind, program, network) };
  const isShown = script.length > 0 && script.length <= MAX_SHOWN_BYTES;
  return { key, text: isShown ? `${SCRIPT_PREFIX}${script.toString("hex")}` : `${HASH_PREFIX}${key}` };
}

function encode(kind: ScriptKind, { version, bytes }: AddressProgram, network: Network): string {
  if (version === null) {
    const [written] = kind === "p2pkh" ? network.p2pkh : network.p2sh;
    return base58check.encode(Buffer.concat([Buffer.of(written!), bytes]));
  }
  const { encode, toWords } = version === 0 ? bech32 : bech32m;
  return encode(network.bech32, [version, ...toWords(bytes)], MAX_BECH32);
}

/** Returns the locking script of an address; null if the text is only its hash. Throws AddressError. */
export const scriptOf = (text: string, currency: Currency): Buffer | null =>
  HASH_FORM.test(text.toLowerCase()) ? null : decode(text, currency).script;

/** Reads any form of an address of the network `name`, or of any network if that is null. Throws AddressError. */
export function parseAddress(text: string, currency: Currency, name: string | null): ParsedAddress {
  const hash = HASH_FORM.exec(text.toLowerCase());
  if (hash) {
    const key = `0x${hash[1]}`;
    const address = { key, text: `${HASH_PREFIX}${key}` };
    return { ...address, formerForm: null, isHash: true, lockName: null, lockFacts: [] };
  }
  const { script, networks } = decode(text, currency);
  const network = name === null ? networks[0] : networks.find((each) => each.name === name);
  if (!network) {
    const own = networks.map((each) => each.name).join(" or ");
    throw fault(
      "network",
      `This is an address of ${currency.name}'s ${own}, and this service serves ${name}`,
    );
  }
  const form = formOf(script);
  const { kind } = form;
  const address = addressOf(script, network, form);
  const lower = text.toLowerCase();
  const isCurrent = address.text === text || address.text === lower;
  return {
    ...address,
    formerForm: isCurrent ? null : lower.startsWith(SCRIPT_PREFIX) ? "script" : "p2sh",
    isHash: address.text.startsWith(HASH_PREFIX),
    lockName: kind === "witness" || kind === "script" ? null : kinds[kind].label,
    lockFacts: [{ name: "Script", value: script.toString("hex") }],
    ...(isUnspendable(script) && { neverListed: NEVER_LISTED }),
  };
}

/** Returns the script of an address, and the networks that share the form. */
function decode(text: string, currency: Currency): { script: Buffer; networks: readonly Network[] } {
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw fault("malformed", "An address holds only letters and digits, with no spaces");
  }
  if (text.length > MAX_TEXT) throw fault("length", `An address has at most ${MAX_TEXT} characters`);
  const lower = text.toLowerCase();
  if (lower.startsWith(SCRIPT_PREFIX)) {
    const [, hex] = SCRIPT_FORM.exec(lower) ?? [];
    if (hex === undefined) throw fault("malformed", `After ${SCRIPT_PREFIX} comes a locking script in hex`);
    return { script: Buffer.from(hex, "hex"), networks: currency.networks };
  }
  if (currency.mweb?.addressStarts.some((start) => lower.startsWith(start))) {
    throw fault("private", "What an address of the extension blocks holds is hidden, so it cannot be listed");
  }
  const networks = currency.networks.filter((network) => lower.startsWith(`${network.bech32}1`));
  if (networks.length > 0) return { script: readBech32(text, lower, networks[0]!.bech32), networks };

  if (EXTENDED_KEY_STARTS.some((start) => text.startsWith(start))) throw fault("extended", EXTENDED_KEY);

  const bytes = decodeBase58(text);
  if (bytes === null) {
    const isBase58 = /^[1-9A-HJ-NP-Za-km-z]{26,35}$/.test(text);
    if (isBase58) throw fault("checksum", WRONG_CHECKSUM);
    const starts = new Set(currency.networks.map((network) => `${network.bech32}1`)).add(SCRIPT_PREFIX);
    throw fault(
      "prefix",
      `This is not a ${currency.name} address: it does not start with ${[...starts].join(", ")}, and is not a base58 address`,
    );
  }
  const [version, hash] = [bytes[0]!, bytes.subarray(1)];
  if (hash.length !== 20) throw fault("length", `A base58 address has 20 bytes, this one has ${hash.length}`);
  const p2pkh = currency.networks.filter((network) => network.p2pkh.includes(version));
  if (p2pkh.length > 0) return { script: p2pkhScript(hash), networks: p2pkh };
  const p2sh = currency.networks.filter((network) => network.p2sh.includes(version));
  if (p2sh.length > 0) return { script: p2shScript(hash), networks: p2sh };
  throw fault("version", `No network of ${currency.name} has base58 addresses of version ${version}`);
}

/** Returns null if the text is not base58, or its checksum does not match. */
function decodeBase58(text: string): Buffer | null {
  // The time to decode grows with the square of the length.
  if (text.length > 60) return null;
  try {
    return Buffer.from(base58check.decode(text));
  } catch {
    return null;
  }
}

function readBech32(text: string, lower: string, prefix: string): Buffer {
  if (text !== lower && text !== text.toUpperCase()) {
    throw fault("case", "A bech32 address is all lower case or all upper case, not a mix");
  }
  const modern = bech32m.decodeUnsafe(lower, MAX_BECH32);
  const decoded = modern ?? bech32.decodeUnsafe(lower, MAX_BECH32);
  // The last "1" ends the prefix (BIP 173), so one in the data makes another prefix.
  if (decoded?.prefix !== prefix) throw fault("checksum", WRONG_CHECKSUM);
  const [version, ...words] = decoded.words;
  if (version === undefined || version > 16)
    throw fault("version", "A witness version is a number from 0 to 16");
  if ((version === 0) === (modern !== undefined)) {
    throw fault("checksum", `Witness version ${version} has the other bech32 checksum`);
  }
  const program = bech32.fromWordsUnsafe(words);
  if (!program) throw fault("malformed", "The address does not end with a whole byte, padded with zero bits");
  const isRight =
    version === 0
      ? program.length === 20 || program.length === 32
      : program.length >= 2 && program.length <= 40;
  if (!isRight) {
    throw fault("length", `Witness version ${version} has no program of ${program.length} bytes`);
  }
  return witnessScript(version, program);
}
