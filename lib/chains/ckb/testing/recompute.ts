/**
 * Computes the results of both API operations a second time, directly from the blocks' JSON, so that tests can
 * compare. It shares no code with the service: script table, hashing, address form and amounts are written again, in
 * the simplest way.
 */
import { blake2b } from "@noble/hashes/blake2.js";
import { bech32m } from "@scure/base";

export type Network = "mainnet" | "testnet";

/** A script as a node's JSON has it. */
interface Script {
  code_hash: string;
  hash_type: string;
  args: string;
}

interface CellOutput {
  capacity: string;
  lock: Script;
  type?: Script | null | undefined;
}

/** The part of a node's block JSON that is read (`get_block`, verbosity 2); numbers are `0x` hex. */
export interface BlockJson {
  header: { number: string; hash: string };
  transactions: readonly {
    hash: string;
    inputs: readonly { previous_output: { tx_hash: string; index: string } }[];
    outputs: readonly CellOutput[];
    outputs_data: readonly string[];
  }[];
}

/** Previous outputs that the blocks do not hold: `"<tx hash>:<index in hex>"` → output and data. */
export type CellsJson = Record<string, { output: CellOutput; data: string }>;

export interface RecomputedUtxo {
  token: string;
  blockHeight: number;
  /** `<transaction hash>:<output index in decimal>`. */
  outPoint: string;
  amount: string;
  capacity: string;
}

export interface Recomputed {
  /** Every lock script of the blocks by its hash, with its live outputs in chain order. */
  utxos: Map<string, { address: string; entries: RecomputedUtxo[] }>;
  /** The asset changes by block hash, in order of first appearance. */
  changes: Map<string, { assetId: string; amount: bigint }[]>;
}

const CKB = "0x80000135";

/** `code hash/hash type` of the scripts that make a cell a token, by network; the rest hold capacity only. */
const TOKEN_SCRIPTS: Record<Network, { udt: readonly string[]; spore: readonly string[] }> = {
  mainnet: {
    udt: [
      "0x5e7a36a77e68eecc013dfa2fe6a23f3b6c344b04005808694ae6dd45eea4cfd5/type",
      "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95/data1",
      "0x26a33e0815888a4a0614a0b7d09fa951e0993ff21e55905510104a0b1312032b/type",
      "0x092c2c4a26ea475a8e860c29cf00502103add677705e2ccd8d6fe5af3caa5ae3/type",
      "0x42a0b2aacc836c0fc2bbd421a9020de42b8411584190f30be547fdf54214acc3/type",
      "0xbfa35a9c38a676682b65ade8f02be164d48632281477e36f8dc2f41f79e56bfc/type",
    ],
    spore: ["0x4a4dce1df3dffff7f8b2cd7dff7303df3b6150c9788cb75dcf6747247132b9f5/data1"],
  },
  testnet: {
    udt: [
      "0xc5e5dcf215925f7ef4dfaf5f4b4f105bc321c02776d6e7d52a1db3fcd9d011a4/type",
      "0x48dbf59b4c7ee1547238021b4869bceedf4eea6b43772e5d66ef8865b6ae7212/data",
      "0x25c29dc317811a6f6f3985a7a9ebc4838bd388d19d0feeecf0bcd60f6c0975bb/type",
      "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95/data1",
      "0x1142755a044bf2ee358cba9f2da187ce928c91cd4dc8692ded0337efa677d21a/type",
      "0x98701eaf939113606a8a70013fd2e8f27b8f1e234acdc329f3d71f9e9d3d3233/type",
      "0xcc9dc33ef234e14bc788c43a4848556a5fb16401a04662fc55db9bb201987037/type",
    ],
    spore: [
      "0x685a60219309029d01310311dba953d67029170ca4848a4ff638e57002130a0d/data1",
      "0x5e063b4c0e7abeaa6a428df3b693521a3050934cf3b0ae97a800d1bc31449398/data1",
      "0xbbad126377d45f90a8ee120da988a2d7332c78ba8fd679aab478a19d6c133494/data1",
    ],
  },
};

const HASH_TYPE_BYTES: Record<string, string> = {
  data: "00",
  type: "01",
  data1: "02",
  data2: "04",
  data3: "06",
};

function bytesOf(hex: string): Buffer {
  if (!/^0x([0-9a-f]{2})*$/.test(hex)) throw new Error(`not lower-case hex: ${hex}`);
  return Buffer.from(hex.slice(2), "hex");
}

function hashTypeByte(script: Script): string {
  const byte = HASH_TYPE_BYTES[script.hash_type];
  if (byte === undefined) throw new Error(`unknown hash type ${script.hash_type}`);
  return byte;
}

/** A little-endian u32, in hex. */
function u32(value: number): string {
  return (value.toString(16).padStart(8, "0").match(/../g) ?? []).reverse().join("");
}

/** The script hash: blake2b-256, personalised, over the molecule table of three fields (RFC 22, RFC 8). */
function hashOfScript(script: Script): string {
  const argsLength = bytesOf(script.args).length;
  const table =
    u32(53 + argsLength) +
    u32(16) +
    u32(48) +
    u32(49) +
    script.code_hash.slice(2) +
    hashTypeByte(script) +
    u32(argsLength) +
    script.args.slice(2);
  const digest = blake2b(Buffer.from(table, "hex"), {
    dkLen: 32,
    personalization: Buffer.from("ckb-default-hash", "ascii"),
  });
  return "0x" + Buffer.from(digest).toString("hex");
}

/** The full address form (RFC 21). */
function addressOf(lock: Script, network: Network): string {
  const payload = Buffer.from(
    "00" + lock.code_hash.slice(2) + hashTypeByte(lock) + lock.args.slice(2),
    "hex",
  );
  return bech32m.encode(network === "mainnet" ? "ckb" : "ckt", bech32m.toWords(payload), false);
}

/** The token that a cell holds, with its amount, or null. */
function tokenOf(cell: { output: CellOutput; data: string }, network: Network, hashes: HashTable) {
  const type = cell.output.type;
  if (!type) return null;
  const kind = `${type.code_hash}/${type.hash_type}`;
  // A Spore's id has 32 bytes; a cell with other args under its script is not a Spore.
  if (TOKEN_SCRIPTS[network].spore.includes(kind)) {
    return type.args.length === 66 ? { id: type.args, amount: 1n } : null;
  }
  if (!TOKEN_SCRIPTS[network].udt.includes(kind)) return null;
  // u128, little-endian: the first 16 bytes backwards are the number's hex digits.
  const amountBytes = bytesOf(cell.data).subarray(0, 16);
  const amount =
    amountBytes.length < 16 ? 0n : BigInt("0x" + Buffer.from(amountBytes).reverse().toString("hex"));
  return { id: hashes.of(type), amount };
}

/** Caches script hashes: a chain repeats few scripts often. */
class HashTable {
  #known = new Map<string, string>();

  of(script: Script): string {
    const text = [script.code_hash, script.hash_type, script.args].join(" ");
    let hash = this.#known.get(text);
    if (hash === undefined) {
      hash = hashOfScript(script);
      this.#known.set(text, hash);
    }
    return hash;
  }
}

/**
 * Computes both results from blocks of one network, in any order and with gaps. `cells` holds the previous outputs of
 * other blocks. Throws if a previous output is in neither, or if an output is spent twice.
 */
export function recompute(blocks: readonly BlockJson[], cells: CellsJson, network: Network): Recomputed {
  const hashes = new HashTable();
  const inOrder = [...blocks].sort((a, b) => Number(BigInt(a.header.number) - BigInt(b.header.number)));

  const created = new Map<string, { output: CellOutput; data: string }>();
  const spent = new Set<string>();
  for (const block of inOrder) {
    for (const transaction of block.transactions) {
      for (const [index, output] of transaction.outputs.entries()) {
        const data = transaction.outputs_data[index];
        if (data === undefined) throw new Error(`${transaction.hash} has no data for output ${index}`);
        created.set(`${transaction.hash}:0x${index.toString(16)}`, { output, data });
      }
    }
  }

  const utxos: Recomputed["utxos"] = new Map();
  function pageOf(lock: Script) {
    const hash = hashes.of(lock);
    let page = utxos.get(hash);
    if (page === undefined) {
      page = { address: addressOf(lock, network), entries: [] };
      utxos.set(hash, page);
    }
    return page;
  }

  const changes: Recomputed["changes"] = new Map();
  for (const block of inOrder) {
    const moved = new Map<string, bigint>();
    for (const [position, transaction] of block.transactions.entries()) {
      const spentCells: { output: CellOutput; data: string }[] = [];
      for (const input of position === 0 ? [] : transaction.inputs) {
        const key = `${input.previous_output.tx_hash}:${input.previous_output.index}`;
        const cell = created.get(key) ?? cells[key];
        if (cell === undefined) throw new Error(`${transaction.hash} spends the unknown output ${key}`);
        if (spent.has(key)) throw new Error(`${transaction.hash} spends the spent output ${key}`);
        spent.add(key);
        pageOf(cell.output.lock);
        spentCells.push(cell);
      }
      const madeCells = transaction.outputs.map((output, index) => {
        pageOf(output.lock);
        return { output, data: transaction.outputs_data[index] ?? "0x" };
      });

      const before = totals(spentCells);
      const after = totals(madeCells);
      for (const asset of new Set([...before.keys(), ...after.keys()])) {
        const total = [before.get(asset) ?? 0n, after.get(asset) ?? 0n].reduce((a, b) => (a > b ? a : b));
        moved.set(asset, (moved.get(asset) ?? 0n) + total);
      }
    }
    changes.set(
      block.header.hash,
      [...moved].map(([assetId, amount]) => ({ assetId, amount })),
    );
  }

  function totals(list: { output: CellOutput; data: string }[]): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const cell of list) {
      sums.set(CKB, (sums.get(CKB) ?? 0n) + BigInt(cell.output.capacity));
      const token = tokenOf(cell, network, hashes);
      if (token) sums.set(token.id, (sums.get(token.id) ?? 0n) + token.amount);
    }
    return sums;
  }

  for (const block of inOrder) {
    for (const transaction of block.transactions) {
      for (const [index, output] of transaction.outputs.entries()) {
        const key = `${transaction.hash}:0x${index.toString(16)}`;
        if (spent.has(key)) continue;
        const capacity = BigInt(output.capacity).toString();
        const token = tokenOf({ output, data: transaction.outputs_data[index] ?? "0x" }, network, hashes);
        pageOf(output.lock).entries.push({
          token: token ? token.id : CKB,
          blockHeight: Number(block.header.number),
          outPoint: `${transaction.hash}:${index}`,
          amount: token ? token.amount.toString() : capacity,
          capacity,
        });
      }
    }
  }
  return { utxos, changes };
}
