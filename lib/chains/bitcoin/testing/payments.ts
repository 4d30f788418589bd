/** Transactions for a node in regtest, which signs them. */
import { hash } from "node:crypto";
import { createBase58check } from "@scure/base";
import { sha256 } from "../hashes.ts";
import type { Litecoind } from "./litecoind.ts";

export interface NodeOutput {
  value: number;
  n: number;
  scriptPubKey: { hex: string; type: string; addresses?: string[] };
}
export interface NodeBlock {
  hash: string;
  height: number;
  previousblockhash?: string;
  time: number;
  tx: { txid: string; vin: { txid?: string; vout?: number }[]; vout: NodeOutput[] }[];
}

/** The public key of the private key 1. */
const KEY = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const KEY_HASH = "751e76e8199196d454941c45d1b3a323f1433bd6";
const WIF = createBase58check((bytes: Uint8Array) => sha256(bytes)).encode(
  Buffer.from(`ef${"0".repeat(63)}101`, "hex"),
);
export const PAYER = `0014${KEY_HASH}`;
export const SUBSIDY = 5_000_000_000n;

const scriptHash = (script: string): Buffer => sha256(Buffer.from(script, "hex"));
/** The script that pays to the key alone. */
const KEY_SCRIPT = `21${KEY}ac`;
const HASHED = `0020${scriptHash(KEY_SCRIPT).toString("hex")}`;
const NESTED = `a914${hash("ripemd160", scriptHash(PAYER))}87`;

/** Every kind of script that an output may have, with our word for it and the node's. */
export const SCRIPTS: [kind: string, type: string, script: string][] = [
  ["p2pkh", "pubkeyhash", `76a914${KEY_HASH}88ac`],
  ["p2sh", "scripthash", NESTED],
  ["p2wpkh", "witness_v0_keyhash", PAYER],
  ["p2wsh", "witness_v0_scripthash", HASHED],
  ["p2tr", "witness_v1_taproot", `5120${KEY.slice(2)}`],
  ["p2pk", "pubkey", KEY_SCRIPT],
  ["multisig", "multisig", `5121${KEY}21${KEY}52ae`],
  ["data", "nulldata", "6a0568656c6c6f"],
  ["witness", "witness_unknown", "52020123"],
  ["script", "nonstandard", "51"],
  ["script", "nonstandard", "51".repeat(501)],
  ["script", "nonstandard", ""],
];

/** Scripts that the node can sign for, with the data that it needs to do so. */
const SECRETS: Record<string, { redeemScript?: string; witnessScript?: string }> = {
  [`76a914${KEY_HASH}88ac`]: {},
  [PAYER]: {},
  [NESTED]: { redeemScript: PAYER },
  [HASHED]: { witnessScript: KEY_SCRIPT },
  [KEY_SCRIPT]: {},
  [`5121${KEY}21${KEY}52ae`]: {},
  "51": {},
};
export const canSpend = (script: string): boolean => Object.hasOwn(SECRETS, script);

/** An output, as it is spent. */
export interface Coin {
  txid: string;
  vout: number;
  script: string;
  amount: bigint;
}

/** A transaction that the node has signed, in hex. Throws if it cannot. */
export async function signed(
  node: Litecoind,
  coins: readonly Coin[],
  outputs: { amount: bigint; script: string }[],
): Promise<string> {
  const previous = coins.map(({ txid, vout, script, amount }) => ({
    ...{ txid, vout, scriptPubKey: script, amount: toLitecoins(amount) },
    ...SECRETS[script],
  }));
  const method = "signrawtransactionwithkey";
  const answer = await node.call<{ hex: string; complete: boolean; errors?: unknown }>(
    method,
    unsigned(coins, outputs),
    [WIF],
    previous,
  );
  if (!answer.complete) throw new Error(`${method}: ${JSON.stringify(answer.errors)}`);
  return answer.hex;
}

const reversed = (hash: string): string => Buffer.from(hash, "hex").reverse().toString("hex");
const sized = (script: string): string => {
  const length = script.length / 2;
  return length < 0xfd
    ? Buffer.of(length).toString("hex") + script
    : `fd${Buffer.of(length & 0xff, length >> 8).toString("hex")}${script}`;
};
const amountOf = (amount: bigint): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return bytes.toString("hex");
};

/** A transaction without signatures, in hex. `proof` stands in the place of one, in hex. */
export function unsigned(
  spent: readonly { txid: string; vout: number; proof?: string }[],
  outputs: { amount: bigint; script: string }[],
): string {
  const uint32 = (value: number) => Buffer.of(value, value >> 8, value >> 16, value >> 24).toString("hex");
  const inputs = spent.map(
    ({ txid, vout, proof = "" }) => `${reversed(txid)}${uint32(vout)}${sized(proof)}ffffffff`,
  );
  const created = outputs.map(({ amount, script }) => `${amountOf(amount)}${sized(script)}`);
  const count = (list: string[]) => Buffer.of(list.length).toString("hex");
  return `02000000${count(inputs)}${inputs.join("")}${count(created)}${created.join("")}00000000`;
}

/** The node gives litecoins as JSON numbers; 17 digits tell every amount. */
export const toLitoshis = (value: number): bigint => BigInt(Math.round(value * 1e8));
const toLitecoins = (amount: bigint): string =>
  `${amount / 100_000_000n}.${String(amount % 100_000_000n).padStart(8, "0")}`;
