/** Recognises the forms of locking scripts (`script/standard.cpp` and `interpreter.cpp` of Bitcoin Core). */
import type { kinds } from "./terms.ts";

export type ScriptKind = Exclude<keyof typeof kinds, "mweb" | "coinbase" | "pegout">;

/** The content of an address. `version`: its witness version, if any. */
export interface AddressProgram {
  version: number | null;
  bytes: Buffer;
}

/** `program`: null if the script has no address. */
export interface ScriptForm {
  kind: ScriptKind;
  program: AddressProgram | null;
}

const OP_RETURN = 0x6a;
const OP_1 = 0x51;
const OP_16 = 0x60;
const OP_CHECKSIG = 0xac;
const OP_CHECKMULTISIG = 0xae;
/** Limit of OP_CHECKMULTISIG. */
const MAX_KEYS = 20;
/** Pay-to-anchor: the whole program of witness version 1 (BIP 433). */
const ANCHOR = Buffer.from("4e73", "hex");
/** Longer scripts cannot run. */
const MAX_SCRIPT_BYTES = 10_000;

/** True if nobody can ever spend an output with this script. */
export const isUnspendable = (script: Buffer): boolean =>
  script[0] === OP_RETURN || script.length > MAX_SCRIPT_BYTES;

/** The `length` bytes of a script between a start and an end in hex; null if it has another form. */
function between(script: Buffer, start: string, length: number, end: string): Buffer | null {
  const from = start.length / 2;
  const to = from + length;
  if (script.length !== to + end.length / 2) return null;
  if (script.toString("hex", 0, from) !== start || script.toString("hex", to) !== end) return null;
  return script.subarray(from, to);
}

export const p2pkhScript = (hash: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from("76a914", "hex"), hash, Buffer.from("88ac", "hex")]);

export const p2shScript = (hash: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from("a914", "hex"), hash, Buffer.from("87", "hex")]);

export const witnessScript = (version: number, program: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(version === 0 ? 0 : OP_1 + version - 1, program.length), program]);

/** Version and program of a witness script (BIP 141); null for any other one. */
function witnessProgram(script: Buffer): { version: number; bytes: Buffer } | null {
  const first = script[0]!;
  if (script.length < 4 || script.length > 42 || script[1] !== script.length - 2) return null;
  if (first !== 0 && (first < OP_1 || first > OP_16)) return null;
  return { version: first === 0 ? 0 : first - OP_1 + 1, bytes: script.subarray(2) };
}

const isKey = (bytes: Buffer): boolean =>
  (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) ||
  (bytes.length === 65 && (bytes[0] === 4 || bytes[0] === 6 || bytes[0] === 7));

/** `<key> OP_CHECKSIG`. */
const isP2pk = (script: Buffer): boolean =>
  (script.length === 35 || script.length === 67) &&
  script[0] === script.length - 2 &&
  script.at(-1) === OP_CHECKSIG &&
  isKey(script.subarray(1, -1));

/** Reads the number of keys or signatures at a position, and returns it with the position after it. */
function countAt(script: Buffer, at: number): { count: number; end: number } | null {
  const opcode = script[at] ?? 0;
  if (opcode >= OP_1 && opcode <= OP_16) return { count: opcode - OP_1 + 1, end: at + 1 };
  // Larger numbers are pushed as a byte.
  const pushed = opcode === 1 ? (script[at + 1] ?? 0) : 0;
  return pushed > 16 && pushed <= MAX_KEYS ? { count: pushed, end: at + 2 } : null;
}

/** `m <key>… n OP_CHECKMULTISIG`. */
function isMultisig(script: Buffer): boolean {
  const needed = countAt(script, 0);
  if (needed === null) return false;
  let keys = 0;
  let at = needed.end;
  for (; isKey(script.subarray(at + 1, at + 1 + script[at]!)); keys++) at += 1 + script[at]!;
  const named = countAt(script, at);
  if (named?.count !== keys || needed.count > keys) return false;
  return named.end === script.length - 1 && script.at(-1) === OP_CHECKMULTISIG;
}

export function formOf(script: Buffer): ScriptForm {
  const p2pkh = between(script, "76a914", 20, "88ac");
  if (p2pkh) return { kind: "p2pkh", program: { version: null, bytes: p2pkh } };
  const p2sh = between(script, "a914", 20, "87");
  if (p2sh) return { kind: "p2sh", program: { version: null, bytes: p2sh } };
  const program = witnessProgram(script);
  if (program) {
    const { version, bytes } = program;
    if (version === 0) {
      if (bytes.length === 20) return { kind: "p2wpkh", program };
      if (bytes.length === 32) return { kind: "p2wsh", program };
      // It has no address, and nobody can spend it.
      return { kind: "script", program: null };
    }
    if (version === 1 && bytes.length === 32) return { kind: "p2tr", program };
    return { kind: version === 1 && bytes.equals(ANCHOR) ? "anchor" : "witness", program };
  }
  if (isP2pk(script)) return { kind: "p2pk", program: null };
  if (isMultisig(script)) return { kind: "multisig", program: null };
  return { kind: script[0] === OP_RETURN ? "data" : "script", program: null };
}
