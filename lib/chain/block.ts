/**
 * A node's block as the facts that the core knows, after recomputing every hash that it claims. Proof of
 * work is not checked: that a block is on the chain is for its source to vouch.
 */
import type { z } from "zod";
import { GENESIS_HASHES } from "#lib/chain/ckb.ts";
import {
  extraHash,
  headerHash,
  proposalsHash,
  serializedTransactionHashes,
  type TransactionHashes,
  transactionsRootOf,
  ZERO_HASH,
} from "#lib/chain/hashes.ts";
import { deploymentTransactions, knownScript, type Network } from "#lib/chain/known-scripts.ts";
import { serializeTransaction } from "#lib/chain/molecule.ts";
import {
  type NodeBlock,
  type NodeCell,
  type NodeOutPoint,
  type NodeTransaction,
  nodeBlock,
  nodeCell,
  nodeTransaction,
} from "#lib/chain/schema.ts";
import { claimsOf, decodeOutput } from "#lib/chain/tokens.ts";
import {
  type Block,
  InvalidChainDataError,
  type OutPoint,
  type Output,
  type Transaction,
} from "#lib/contract/ledger.ts";

/** Far above any height the chain can reach in a lifetime, and room for a position in one 64-bit integer. */
const heightLimit = 2 ** 33;

function invalid(where: string, message: string): InvalidChainDataError {
  return new InvalidChainDataError(`${where}: ${message}`);
}

function checkHash(where: string, place: string, claimed: string, actual: string): void {
  if (claimed !== actual) throw invalid(where, `${place} is ${claimed}, but the contents hash to ${actual}`);
}

/** `transactions[3].outputs[0].capacity` */
function placeOf(path: readonly PropertyKey[]): string {
  let place = "";
  for (const key of path)
    place += typeof key === "number" ? `[${key}]` : `${place === "" ? "" : "."}${String(key)}`;
  return place;
}

function parsed<T>(schema: z.ZodType<T>, json: unknown, where: string): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = placeOf(issue?.path ?? []);
  throw invalid(where, `${place === "" ? "" : `${place}: `}${issue?.message ?? "unreadable"}`);
}

/**
 * The JSON of `get_block` at verbosity 2, its shape checked and its hashes not yet.
 * @throws InvalidChainDataError naming `where` and the place in the JSON
 */
export function parseNodeBlock(json: unknown, where: string): NodeBlock {
  return parsed(nodeBlock, json, where);
}

/**
 * The JSON of a transaction, its shape and its hash checked.
 * @throws InvalidChainDataError naming `where` and the place in the JSON
 */
export function parseNodeTransaction(json: unknown, where: string): NodeTransaction {
  const transaction = parsed(nodeTransaction, json, where);
  checkHash(
    where,
    "hash",
    transaction.hash,
    serializedTransactionHashes(serializeTransaction(transaction)).hash,
  );
  return transaction;
}

/**
 * The block in a node's JSON, all its hashes recomputed, from the transactions' own to the header's.
 * @throws InvalidChainDataError naming `where`, the place in the JSON, and for a hash both of its values
 */
export function parseBlock(json: unknown, network: Network, where: string): Block {
  return verifyBlock(parseNodeBlock(json, where), network, where);
}

/**
 * The same, of a block whose shape was checked.
 * @throws InvalidChainDataError
 */
export function verifyBlock(node: NodeBlock, network: Network, where: string): Block {
  const hashes = node.transactions.map((transaction) =>
    serializedTransactionHashes(serializeTransaction(transaction)),
  );
  return verifyHashedBlock(node, hashes, network, where);
}

/**
 * The same, where the hashes of the transactions were recomputed already. Nothing reads their witnesses.
 * @throws InvalidChainDataError
 */
export function verifyHashedBlock(
  node: NodeBlock,
  hashes: readonly TransactionHashes[],
  network: Network,
  where: string,
): Block {
  const { header } = node;
  checkHashes(node, hashes, where);
  const height = Number(header.number);
  if (height >= heightLimit) {
    throw invalid(where, `header.number is ${header.number}, beyond the highest supported height`);
  }
  const timestamp = Number(header.timestamp);
  if (!Number.isSafeInteger(timestamp)) {
    throw invalid(where, `header.timestamp is ${header.timestamp}, beyond the latest supported time`);
  }
  return {
    height,
    hash: header.hash,
    parentHash: header.parent_hash,
    timestamp,
    transactions: transactionsOf(node, network, where),
  };
}

function checkHashes(node: NodeBlock, hashes: readonly TransactionHashes[], where: string): void {
  const { header, uncles, proposals, transactions, extension } = node;
  for (const [index, transaction] of transactions.entries()) {
    checkHash(where, `transactions[${index}].hash`, transaction.hash, hashes[index]!.hash);
  }
  for (const [index, uncle] of uncles.entries()) {
    const place = `uncles[${index}].header`;
    checkHash(where, `${place}.proposals_hash`, uncle.header.proposals_hash, proposalsHash(uncle.proposals));
    checkHash(where, `${place}.hash`, uncle.header.hash, headerHash(uncle.header));
  }
  const root = transactionsRootOf(
    hashes.map((each) => each.hash),
    hashes.map((each) => each.witnessHash),
  );
  checkHash(where, "header.transactions_root", header.transactions_root, root);
  checkHash(where, "header.proposals_hash", header.proposals_hash, proposalsHash(proposals));
  checkHash(where, "header.extra_hash", header.extra_hash, extraHash(uncles, extension));
  checkHash(where, "header.hash", header.hash, headerHash(header));
}

function isRewardInput(outPoint: NodeOutPoint): boolean {
  return outPoint.tx_hash === ZERO_HASH && outPoint.index === "0xffffffff";
}

/** The first transaction, and no other, is the cellbase: it has one input, which stands for the reward. */
function transactionsOf(node: NodeBlock, network: Network, where: string): Transaction[] {
  const seen = new Map<string, number>();
  const spent = new Map<string, string>();
  const first = node.transactions[0];
  if (first?.inputs.length !== 1 || !isRewardInput(first.inputs[0]!.previous_output)) {
    throw invalid(where, "transactions[0] is not a cellbase");
  }
  return node.transactions.map((transaction, index) => {
    const place = `transactions[${index}]`;
    const earlier = seen.get(transaction.hash);
    if (earlier !== undefined)
      throw invalid(where, `${place} is transactions[${earlier}] again: ${transaction.hash}`);
    seen.set(transaction.hash, index);
    return {
      hash: transaction.hash,
      inputs: index === 0 ? [] : inputsOf(transaction, place, spent, where),
      outputs: transaction.outputs.map((output, i) =>
        decodeOutput(output, transaction.outputs_data[i]!, network),
      ),
      claims: claimsOf(transaction.outputs, transaction.outputs_data, network),
    };
  });
}

function inputsOf(
  transaction: NodeTransaction,
  place: string,
  spent: Map<string, string>,
  where: string,
): OutPoint[] {
  return transaction.inputs.map(({ previous_output: previous }, index) => {
    const inputPlace = `${place}.inputs[${index}]`;
    if (isRewardInput(previous))
      throw invalid(where, `${inputPlace} is a cellbase's, which only transactions[0] may have`);
    const outPoint = { transactionHash: previous.tx_hash, outputIndex: Number(previous.index) };
    const key = outPointKey(outPoint);
    const earlier = spent.get(key);
    if (earlier !== undefined)
      throw invalid(where, `${inputPlace} spends ${key}, which ${earlier} spends already`);
    spent.set(key, inputPlace);
    return outPoint;
  });
}

/** `<transaction hash>:<output index in decimal>` */
function outPointKey(outPoint: OutPoint): string {
  return `${outPoint.transactionHash}:${outPoint.outputIndex}`;
}

/** What a cell holds; for a previous output that came with its data. */
export function decodeCell(cell: NodeCell, network: Network): Output {
  return decodeOutput(cell.output, cell.data, network);
}

const cellKey = /^(0x[0-9a-f]{64}):(0x(?:0|[1-9a-f][0-9a-f]{0,7}))$/;
const quotedKeyLength = 100;

/**
 * A file of previous outputs: `{ "<tx hash>:<index in hex>": { output, data } }`, by
 * `<tx hash>:<index in decimal>`. No hash covers a cell without its transaction: its source vouches for it.
 * @throws InvalidChainDataError naming `where` and the key
 */
export function parseCells(json: unknown, network: Network, where: string): Map<string, Output> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalid(where, "Expected an object of cells by their out points");
  }
  const cells = new Map<string, Output>();
  for (const [key, value] of Object.entries(json)) {
    const quoted = JSON.stringify(key.length > quotedKeyLength ? `${key.slice(0, quotedKeyLength)}…` : key);
    const match = cellKey.exec(key);
    if (match === null)
      throw invalid(where, `${quoted} is not a transaction hash, a colon and an index in 0x hex`);
    const outPoint = { transactionHash: match[1]!, outputIndex: Number(match[2]!) };
    cells.set(outPointKey(outPoint), decodeCell(parsed(nodeCell, value, `${where}: ${quoted}`), network));
  }
  return cells;
}

/**
 * How much speaks for either public network: its own genesis hash; each transaction that depends on a script's
 * deployment on it; each output whose type script is known on it alone. A devnet's block has none of these.
 */
export function networkEvidence(block: NodeBlock): Record<Network, number> {
  const evidence: Record<Network, number> = { mainnet: 0, testnet: 0 };
  for (const network of ["mainnet", "testnet"] as const) {
    const other = network === "mainnet" ? "testnet" : "mainnet";
    if (block.header.hash === GENESIS_HASHES[network]) evidence[network]++;
    const deployments = deploymentTransactions[network];
    for (const { cell_deps: deps, outputs } of block.transactions) {
      if (deps.some((dep) => deployments.has(dep.out_point.tx_hash))) evidence[network]++;
      for (const { type } of outputs) {
        if (type !== null && knownScript(type, network) !== null && knownScript(type, other) === null) {
          evidence[network]++;
        }
      }
    }
  }
  return evidence;
}

/** The public network that a block is of; null where nothing tells, or the evidence contradicts itself. */
export function networkOfBlock(block: NodeBlock): Network | null {
  const { mainnet, testnet } = networkEvidence(block);
  if (mainnet > 0 && testnet === 0) return "mainnet";
  if (testnet > 0 && mainnet === 0) return "testnet";
  return null;
}

/** The same of a block's JSON; null too where it is no block. */
export function detectNetwork(json: unknown): Network | null {
  const result = nodeBlock.safeParse(json);
  return result.success ? networkOfBlock(result.data) : null;
}
