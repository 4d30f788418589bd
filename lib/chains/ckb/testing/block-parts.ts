/** The parts of generated blocks: live cells, transactions and headers in a node's JSON form. */
import { type HashedTransaction, transactionsRoot, ZERO_HASH } from "#lib/chains/ckb/hashes.ts";
import { bytesToHex } from "#lib/chains/ckb/hex.ts";
import type * as Node from "#lib/chains/ckb/schema.ts";
import { hex, keyOf, type LiveCell, scriptKey, type UnplacedCell, uint64 } from "./cells.ts";
import { headerHash, proposalsHash } from "./node-hashes.ts";

type Script = Node.NodeScript;

/** The changes of a block or a transaction to the live cells, so that a fork can undo them. */
export interface Effect {
  spent: readonly LiveCell[];
  made: readonly LiveCell[];
}

export class LiveCells {
  readonly #byOwner = new Map<string, Map<string, LiveCell>>();

  of(owner: Script): Iterable<LiveCell> {
    return this.#byOwner.get(scriptKey(owner))?.values() ?? [];
  }

  has({ output, outPoint }: LiveCell): boolean {
    return this.#byOwner.get(scriptKey(output.lock))?.has(keyOf(outPoint)) ?? false;
  }

  *all(): Generator<LiveCell> {
    for (const cells of this.#byOwner.values()) yield* cells.values();
  }

  copy(): LiveCells {
    const copy = new LiveCells();
    for (const [owner, cells] of this.#byOwner) copy.#byOwner.set(owner, new Map(cells));
    return copy;
  }

  change(removed: readonly LiveCell[], added: readonly LiveCell[]): void {
    for (const { output, outPoint } of removed) {
      this.#byOwner.get(scriptKey(output.lock))?.delete(keyOf(outPoint));
    }
    for (const cell of added) {
      const owner = scriptKey(cell.output.lock);
      if (!this.#byOwner.has(owner)) this.#byOwner.set(owner, new Map());
      this.#byOwner.get(owner)!.set(keyOf(cell.outPoint), cell);
    }
  }
}

export const transactionOf = (
  inputs: Node.NodeCellInput[],
  outputs: readonly UnplacedCell[],
  witnesses: string[],
  cell_deps: Node.NodeCellDep[] = [],
): Node.NodeTransaction => ({
  hash: ZERO_HASH,
  version: "0x0",
  cell_deps,
  header_deps: [],
  inputs,
  outputs: outputs.map(({ output }) => output),
  outputs_data: outputs.map(({ data }) => data),
  witnesses,
});

/** A header with made-up values where no indexer checks them. */
export function headerOf(facts: {
  height: number;
  timestamp: number;
  parent: string;
  transactions: readonly HashedTransaction[];
  proposals: readonly string[];
  /** The hash that covers uncles and extension. */
  extra: string;
  /** Shannons up to this block. */
  issued: bigint;
  epochLength: number;
  nonce: number;
}): Node.NodeHeader {
  const height = BigInt(facts.height);
  const header = {
    hash: ZERO_HASH,
    version: "0x0",
    compact_target: "0x20010000",
    timestamp: hex(facts.timestamp),
    number: hex(height),
    epoch: epochAt(height, BigInt(facts.epochLength)),
    parent_hash: facts.parent,
    transactions_root: bytesToHex(transactionsRoot(facts.transactions)),
    proposals_hash: proposalsHash(facts.proposals),
    extra_hash: facts.extra,
    dao: daoField(facts.issued, height),
    nonce: hex(facts.nonce),
  };
  return { ...header, hash: headerHash(header) };
}

/** Number, index and length, packed as in RFC 17; all zero for block 0. */
function epochAt(height: bigint, length: bigint): string {
  return height === 0n ? "0x0" : hex((length << 40n) | ((height % length) << 24n) | (height / length));
}

/** Growth of the accumulated rate in each of mainnet's first blocks, approximately. */
const RATE_GROWTH = 10n ** 8n;

/** RFC 23's header field. Capacity that is occupied or not yet issued is not counted. */
const daoField = (issued: bigint, height: bigint): string =>
  `0x${[issued, 10n ** 16n + height * RATE_GROWTH, 0n, 0n].map(uint64).join("")}`;
