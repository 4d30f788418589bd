/**
 * A block in the packed form that a node returns at verbosity 0: molecule (RFC 8), with the schema `blockchain.mol`.
 * Written from that schema alone, so that the decoder can be tested against it.
 */

interface ScriptJson {
  code_hash: string;
  hash_type: string;
  args: string;
}

export interface HeaderJson {
  version: string;
  compact_target: string;
  timestamp: string;
  number: string;
  epoch: string;
  parent_hash: string;
  transactions_root: string;
  proposals_hash: string;
  extra_hash: string;
  dao: string;
  nonce: string;
  hash: string;
}

export interface TransactionJson {
  version: string;
  cell_deps: readonly { dep_type: string; out_point: { tx_hash: string; index: string } }[];
  header_deps: readonly string[];
  inputs: readonly { since: string; previous_output: { tx_hash: string; index: string } }[];
  outputs: readonly { capacity: string; lock: ScriptJson; type?: ScriptJson | null | undefined }[];
  outputs_data: readonly string[];
  witnesses: readonly string[];
  hash: string;
}

export interface BlockJson {
  header: HeaderJson;
  uncles: readonly { header: HeaderJson; proposals: readonly string[] }[];
  transactions: readonly TransactionJson[];
  proposals: readonly string[];
  extension?: string | null | undefined;
}

/** A little-endian unsigned integer of `bytes` bytes, from `0x` hex. */
function uint(hex: string, bytes: number): Buffer {
  return Buffer.from(
    BigInt(hex)
      .toString(16)
      .padStart(bytes * 2, "0"),
    "hex",
  ).reverse();
}

function raw(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

function length(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

/** Molecule's `table`, and its `dynvec`, which has the same form: total size, offsets, items. */
function table(items: readonly Buffer[]): Buffer {
  let offset = 4 + 4 * items.length;
  const offsets = items.map((item) => {
    const start = length(offset);
    offset += item.length;
    return start;
  });
  return Buffer.concat([length(offset), ...offsets, ...items]);
}

/** Molecule's `fixvec`: a count, then items of one size. */
function fixvec(items: readonly Buffer[]): Buffer {
  return Buffer.concat([length(items.length), ...items]);
}

function bytes(hex: string): Buffer {
  const content = raw(hex);
  return Buffer.concat([length(content.length), content]);
}

function packScript(script: ScriptJson): Buffer {
  const hashType = { data: 0, type: 1, data1: 2, data2: 4, data3: 6, data127: 254 }[script.hash_type];
  if (hashType === undefined) throw new Error(`unknown hash type ${script.hash_type}`);
  return table([raw(script.code_hash), Buffer.from([hashType]), bytes(script.args)]);
}

function packOutPoint(outPoint: { tx_hash: string; index: string }): Buffer {
  return Buffer.concat([raw(outPoint.tx_hash), uint(outPoint.index, 4)]);
}

/** `0x` hex of the packed header: 208 bytes. */
export function packHeader(header: HeaderJson): string {
  return "0x" + headerBytes(header).toString("hex");
}

function headerBytes(header: HeaderJson): Buffer {
  return Buffer.concat([
    uint(header.version, 4),
    uint(header.compact_target, 4),
    uint(header.timestamp, 8),
    uint(header.number, 8),
    uint(header.epoch, 8),
    raw(header.parent_hash),
    raw(header.transactions_root),
    raw(header.proposals_hash),
    raw(header.extra_hash),
    raw(header.dao),
    uint(header.nonce, 16),
  ]);
}

/** `0x` hex of the packed transaction, witnesses included. */
export function packTransaction(transaction: TransactionJson): string {
  return "0x" + transactionBytes(transaction).toString("hex");
}

function transactionBytes(transaction: TransactionJson): Buffer {
  const body = table([
    uint(transaction.version, 4),
    fixvec(
      transaction.cell_deps.map((dep) =>
        Buffer.concat([packOutPoint(dep.out_point), Buffer.from([dep.dep_type === "dep_group" ? 1 : 0])]),
      ),
    ),
    fixvec(transaction.header_deps.map(raw)),
    fixvec(
      transaction.inputs.map((input) =>
        Buffer.concat([uint(input.since, 8), packOutPoint(input.previous_output)]),
      ),
    ),
    table(
      transaction.outputs.map((output) =>
        table([
          uint(output.capacity, 8),
          packScript(output.lock),
          output.type ? packScript(output.type) : Buffer.alloc(0),
        ]),
      ),
    ),
    table(transaction.outputs_data.map(bytes)),
  ]);
  return table([body, table(transaction.witnesses.map(bytes))]);
}

/** `0x` hex of the packed block; the extension is a fifth field, left out if the block has none. */
export function packBlock(block: BlockJson): string {
  const fields = [
    headerBytes(block.header),
    table(block.uncles.map((uncle) => table([headerBytes(uncle.header), fixvec(uncle.proposals.map(raw))]))),
    table(block.transactions.map(transactionBytes)),
    fixvec(block.proposals.map(raw)),
  ];
  if (block.extension !== undefined && block.extension !== null) fields.push(bytes(block.extension));
  return "0x" + table(fields).toString("hex");
}
