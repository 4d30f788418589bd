/**
 * Compares all live outputs with a node's, by the hash over them that `gettxoutsetinfo` returns (`coinstats.cpp` of Bitcoin
 * Core and Litecoin Core). A node also counts the first output of the last HogEx, which the index does not.
 */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { OutPoint, Tip } from "#lib/contract/ledger.ts";
import type { LiveOutput, LiveOutputs } from "#lib/contract/source.ts";
import { scriptOf } from "./address.ts";
import { sha256, toName } from "./hashes.ts";
import type { Currency } from "./networks.ts";
import { isUnspendable } from "./script.ts";
import type { RawTransaction } from "./transaction.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** Nodes up to Bitcoin Core 25 and Litecoin Core have version 2. */
export const outputSetInfo = z.union([
  z.object({ height: z.int(), bestblock: hash, txouts: z.int(), hash_serialized_2: hash }),
  z.object({ height: z.int(), bestblock: hash, txouts: z.int(), hash_serialized_3: hash }),
]);

export interface ComparedNode {
  outputSetInfo(): Promise<z.infer<typeof outputSetInfo>>;
  hashAt(height: number): Promise<string | null>;
  transactionsOf(blockHash: string): Promise<RawTransaction[]>;
}

/** Tables of a temporary file. Outputs are appended, and sorted later. */
const SCHEMA = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
  CREATE TABLE outputs (
    id BLOB NOT NULL, n INTEGER NOT NULL, origin INTEGER NOT NULL, amount INTEGER NOT NULL, script BLOB NOT NULL
  ) STRICT;
  BEGIN`;

interface Row {
  /** The transaction's hash, not reversed. */
  id: Uint8Array;
  n: bigint;
  origin: bigint;
  amount: bigint;
  script: Uint8Array;
}

export class ComparedOutputs implements LiveOutputs {
  readonly #currency: Currency;
  readonly #node: ComparedNode;
  readonly #scratch = new DatabaseSync("");
  readonly #insert;

  constructor(currency: Currency, node: ComparedNode) {
    this.#currency = currency;
    this.#node = node;
    this.#scratch.exec(SCHEMA);
    this.#insert = this.#scratch.prepare("INSERT INTO outputs VALUES (?, ?, ?, ?, ?)");
  }

  [Symbol.dispose](): void {
    this.#scratch.close();
  }

  async add({ height, hash }: Tip, outputs: readonly LiveOutput[]): Promise<void> {
    let created: RawTransaction[] | undefined;
    for (const { transactionHash, outputIndex, output, isReward } of outputs) {
      let script = scriptOf(output.address.text, this.#currency);
      if (!script) {
        // The index has only the hash of a long script.
        created ??= await this.#node.transactionsOf(hash);
        const whole = created.find(({ id }) => toName(id) === transactionHash)?.outputs[outputIndex]?.script;
        if (!whole || `0x${sha256(whole).toString("hex")}` !== output.address.key) {
          throw new Error(`the node does not have the script of ${transactionHash}:${outputIndex}`);
        }
        script = whole;
      }
      const origin = originOf(height, isReward);
      this.#insert.run(idOf(transactionHash), outputIndex, origin, output.capacity, script);
    }
  }

  async difference(tip: Tip): Promise<string | null> {
    const said = await this.#node.outputSetInfo();
    const asOf = { height: said.height, hash: `0x${said.bestblock}` };
    for (const block of [tip, asOf]) {
      if (asOf.height < tip.height || (await this.#node.hashAt(block.height)) !== block.hash) {
        return `the live outputs were not compared: the index ends with block ${tip.height} (${tip.hash}), the node's live outputs are those of block ${asOf.height} (${asOf.hash})`;
      }
    }
    const pool = (await this.#node.transactionsOf(tip.hash)).at(-1)!;
    if (pool.isHogEx) {
      const { amount, script } = pool.outputs[0]!;
      this.#insert.run(pool.id, 0, originOf(tip.height, false), amount, script);
    }
    this.#scratch.exec("CREATE INDEX in_order ON outputs (id, n)");
    for (let height = tip.height + 1; height <= asOf.height; height++) await this.#follow(height);

    const [count, found] =
      "hash_serialized_2" in said ? this.#hash(version2(), idOf(asOf.hash)) : this.#hash(version3);
    const expected = "hash_serialized_2" in said ? said.hash_serialized_2 : said.hash_serialized_3;
    if (found === `0x${expected}`) return null;
    return `the ${count} live outputs as of block ${asOf.height} have the hash ${found}, the node's ${said.txouts} have 0x${expected}`;
  }

  /** Brings the outputs to the node's next block. */
  async #follow(height: number): Promise<void> {
    const spend = this.#scratch.prepare("DELETE FROM outputs WHERE id = ? AND n = ?");
    const name = await this.#node.hashAt(height);
    for (const [index, { id, inputs, outputs }] of (await this.#node.transactionsOf(name!)).entries()) {
      for (const spent of inputs) if (spent) spend.run(idOf(spent.transactionHash), spent.outputIndex);
      for (const [n, { amount, script }] of outputs.entries()) {
        if (!isUnspendable(script)) this.#insert.run(id, n, originOf(height, index === 0), amount, script);
      }
    }
  }

  /** Returns the number of outputs, and the hash over them. */
  #hash(bytesOf: (row: Row | null) => Buffer, start: Uint8Array = Buffer.alloc(0)): [number, string] {
    const hashed = createHash("sha256").update(start);
    const rows = this.#scratch.prepare("SELECT id, n, origin, amount, script FROM outputs ORDER BY id, n");
    rows.setReadBigInts(true);
    let count = 0;
    for (const row of rows.iterate()) {
      hashed.update(bytesOf(row as unknown as Row));
      count += 1;
    }
    hashed.update(bytesOf(null));
    return [count, toName(sha256(hashed.digest()))];
  }
}

/** Nodes hash twice the height, and one more for a reward. */
const originOf = (height: number, isReward: boolean): number => 2 * height + Number(isReward);

const idOf = (name: OutPoint["transactionHash"]): Buffer => Buffer.from(name.slice(2), "hex").reverse();

/** Serialises each transaction with its outputs between a 1 (meant to be the origin, but for a bug) and a 0. */
function version2(): (row: Row | null) => Buffer {
  let last: Uint8Array | undefined;
  return (row) => {
    const isSame = row !== null && last !== undefined && Buffer.compare(row.id, last) === 0;
    const parts: Uint8Array[] = [];
    if (last && !isSame) parts.push(varint(0n));
    if (row) {
      if (!isSame) parts.push(row.id, varint(1n));
      parts.push(varint(row.n + 1n), counted(row.script), varint(row.amount));
    }
    last = row?.id;
    return Buffer.concat(parts);
  };
}

function version3(row: Row | null): Buffer {
  if (!row) return Buffer.alloc(0);
  const numbers = Buffer.alloc(16);
  numbers.writeUInt32LE(Number(row.n), 0);
  numbers.writeUInt32LE(Number(row.origin), 4);
  numbers.writeBigInt64LE(row.amount, 8);
  return Buffer.concat([row.id, numbers, counted(row.script)]);
}

/** Writes a number of seven bits a byte, where each byte but the last one counts one more (`VARINT` of `serialize.h`). */
function varint(value: bigint): Buffer {
  const bytes = [Number(value & 0x7fn)];
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) {
    rest -= 1n;
    bytes.unshift(Number(rest & 0x7fn) | 0x80);
  }
  return Buffer.from(bytes);
}

/** Writes a count and the bytes. Spendable scripts have at most 10,000. */
function counted(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  const count = length < 0xfd ? Buffer.of(length) : Buffer.of(0xfd, length & 0xff, length >> 8);
  return Buffer.concat([count, bytes]);
}
