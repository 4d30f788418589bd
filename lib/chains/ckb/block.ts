/** A node's JSON blocks: every hash in them is recomputed. Proof of work is up to the block's source. */
import type { z } from "zod";
import type { FileBlock } from "#lib/contract/chain.ts";
import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import { GENESIS_HASHES } from "./constants.ts";
import { ckbHash, hashTransaction } from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { deploymentTransactions, knownScript, type Network, networkNamed } from "./known-scripts.ts";
import { serializeCellOutput, serializeHeader, serializeTransaction } from "./molecule.ts";
import { type NodeBlock, type NodeCell, nodeBlock, nodeCell } from "./schema.ts";
import { checkHash, invalid, readBlock, type SerializedBlock } from "./serialized.ts";
import { readCells } from "./tokens.ts";

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

/** Checks the shape, not the hashes. Throws InvalidChainDataError that names `where` and the place in the JSON. */
export function parseNodeBlock(json: unknown, where: string): NodeBlock {
  return parsed(nodeBlock, json, where);
}

/** Checks shape and hashes. Throws InvalidChainDataError that names the place, and both values of a wrong hash. */
export function parseBlock(json: unknown, network: Network, where: string): Block {
  return verifyBlock(parseNodeBlock(json, where), network, where);
}

/** The second half of `parseBlock`, for a block whose shape is checked. Throws InvalidChainDataError. */
export function verifyBlock(node: NodeBlock, network: Network, where: string): Block {
  const { header, uncles, proposals, extension } = node;
  const transactions = node.transactions.map((transaction, index) => {
    const hashed = hashTransaction(serializeTransaction(transaction));
    checkHash(where, `transactions[${index}].hash`, transaction.hash, bytesToHex(hashed.hash));
    return hashed;
  });
  const parts: SerializedBlock = {
    header: serializeHeader(header),
    uncles: uncles.map((uncle, index) => {
      const header = serializeHeader(uncle.header);
      checkHash(where, `uncles[${index}].header.hash`, uncle.header.hash, bytesToHex(ckbHash(header)));
      return { header, proposals: Buffer.concat(uncle.proposals.map(hexToBytes)) };
    }),
    transactions,
    proposals: Buffer.concat(proposals.map(hexToBytes)),
    extension: extension === undefined || extension === null ? null : hexToBytes(extension),
  };
  const block = readBlock(parts, network, where);
  checkHash(where, "header.hash", header.hash, block.hash);
  return block;
}

/** What a cell holds, for a previous output with its data. */
export function decodeCell(cell: NodeCell, network: Network): Output {
  return readCells([serializeCellOutput(cell.output)], [hexToBytes(cell.data)], network).outputs[0]!;
}

const CELL_KEY = /^(0x[0-9a-f]{64}):(0x(?:0|[1-9a-f][0-9a-f]{0,7}))$/;
const QUOTED_KEY_LENGTH = 100;

/**
 * Reads a file of previous outputs, `{ "<tx hash>:<index in hex>": { output, data } }`. The result is keyed by
 * `<tx hash>:<index in decimal>`. No hash covers a cell without its transaction, so the file has to be trusted.
 * Throws InvalidChainDataError that names `where` and the key.
 */
export function parseCells(json: unknown, network: Network, where: string): Map<string, Output> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalid(where, "Expected an object of cells by their out points");
  }
  const cells = new Map<string, Output>();
  for (const [key, value] of Object.entries(json)) {
    const quoted = JSON.stringify(
      key.length > QUOTED_KEY_LENGTH ? `${key.slice(0, QUOTED_KEY_LENGTH)}…` : key,
    );
    const match = CELL_KEY.exec(key);
    if (match === null)
      throw invalid(where, `${quoted} is not a transaction hash, a colon and an index in 0x hex`);
    const outPoint = { transactionHash: match[1]!, outputIndex: Number(match[2]!) };
    cells.set(outPointText(outPoint), decodeCell(parsed(nodeCell, value, `${where}: ${quoted}`), network));
  }
  return cells;
}

/**
 * Counts the evidence for each public network: its genesis hash, and scripts that only it has, as dependencies or types.
 * A devnet's block has none.
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

/** The public network that a block belongs to; null if there is no evidence, or if it is contradictory. */
function networkOfBlock(block: NodeBlock): Network | null {
  const { mainnet, testnet } = networkEvidence(block);
  if (mainnet > 0 && testnet === 0) return "mainnet";
  if (testnet > 0 && mainnet === 0) return "testnet";
  return null;
}

/** A block as `get_block` returns it at verbosity 2, or the whole JSON-RPC response with it. Throws as `parseNodeBlock`. */
export function readFileBlock(json: unknown, where: string): FileBlock {
  const isResponse = typeof json === "object" && json !== null && "jsonrpc" in json && "result" in json;
  const block = parseNodeBlock(isResponse ? json.result : json, where);
  return {
    network: networkOfBlock(block),
    verify: (network) => verifyBlock(block, networkNamed(network), where),
  };
}
