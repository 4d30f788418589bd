/** Reads a node's JSON blocks, and recomputes every hash in them. Proof of work is up to the block's source. */
import { z } from "zod";
import { readValues } from "#lib/contract/block-file.ts";
import type { FileBlock } from "#lib/contract/chain.ts";
import { type Block, InvalidChainDataError, type Output, outPointText } from "#lib/contract/ledger.ts";
import { limitText } from "#lib/contract/texts.ts";
import { GENESIS_HASHES } from "./constants.ts";
import { ckbHash, hashTransaction } from "./hashes.ts";
import { hexToBytes } from "./hex.ts";
import {
  deploymentTransactions,
  knownScript,
  NETWORKS,
  type Network,
  networkNamed,
} from "./known-scripts.ts";
import { serializeCellOutput, serializeHeader, serializeTransaction } from "./molecule.ts";
import { type NodeBlock, type NodeCell, type NodeScript, nodeBlock, nodeCell } from "./schema.ts";
import { checkHash, naming, readBlock } from "./serialized.ts";
import { readCells } from "./tokens.ts";

/** Throws InvalidChainDataError, which names the place in the JSON, such as `transactions[3].outputs[0].capacity`. */
function parsed<T>(schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const { path = [], message = "unreadable" } = result.error.issues[0] ?? {};
  const place = z.core.toDotPath(path);
  throw new InvalidChainDataError(place === "" ? message : `${place}: ${message}`);
}

/** Checks the shape, not the hashes. Throws InvalidChainDataError, which names `where` and the place in the JSON. */
export function parseNodeBlock(json: unknown, where: string): NodeBlock {
  return naming(where, () => parsed(nodeBlock, json));
}

/** Checks shape and hashes. Throws InvalidChainDataError, which names the place, and both values of a wrong hash. */
export function parseBlock(json: unknown, network: Network, where: string): Block {
  return verifyBlock(parseNodeBlock(json, where), network, where);
}

/** Checks the hashes of a block whose shape is checked. Throws InvalidChainDataError. */
export function verifyBlock(node: NodeBlock, network: Network, where: string): Block {
  return naming(where, () => {
    const header = serializeHeader(node.header);
    const block = readBlock(
      {
        header,
        uncles: node.uncles.map((uncle, index) => {
          const header = serializeHeader(uncle.header);
          checkHash(`uncles[${index}].header.hash`, hexToBytes(uncle.header.hash), ckbHash(header));
          return { header, proposals: Buffer.concat(uncle.proposals.map(hexToBytes)) };
        }),
        transactions: node.transactions.map((transaction, index) => {
          const hashed = hashTransaction(serializeTransaction(transaction));
          checkHash(`transactions[${index}].hash`, hexToBytes(transaction.hash), hashed.hash);
          return hashed;
        }),
        proposals: Buffer.concat(node.proposals.map(hexToBytes)),
        extension: typeof node.extension === "string" ? hexToBytes(node.extension) : null,
      },
      network,
    );
    checkHash("header.hash", hexToBytes(node.header.hash), ckbHash(header));
    return block;
  });
}

/** Decodes a previous output with its data. */
export function decodeCell(cell: NodeCell, network: Network): Output {
  return readCells([serializeCellOutput(cell.output)], [hexToBytes(cell.data)], network).outputs[0]!;
}

const CELL_KEY = /^(0x[0-9a-f]{64}):(0x(?:0|[1-9a-f][0-9a-f]{0,7}))$/;
const MAX_QUOTED_KEY = 101;

/**
 * Reads a file of previous outputs, `{ "<tx hash>:<index in hex>": { output, data } }`. The result is keyed by
 * `<tx hash>:<index in decimal>`. No hash covers a cell without its transaction, so the file has to be trusted.
 * Throws InvalidChainDataError, which names `where` and the key.
 */
export function parseCells(json: unknown, network: Network, where: string): Map<string, Output> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new InvalidChainDataError(`${where}: Expected an object of cells by their out points`);
  }
  const cells = new Map<string, Output>();
  for (const [key, value] of Object.entries(json)) {
    const place = `${where}: ${JSON.stringify(limitText(key, MAX_QUOTED_KEY))}`;
    const [, transactionHash, index] = CELL_KEY.exec(key) ?? [];
    if (transactionHash === undefined) {
      throw new InvalidChainDataError(`${place} is not a transaction hash, a colon and an index in 0x hex`);
    }
    const cell = naming(place, () => parsed(nodeCell, value));
    cells.set(outPointText({ transactionHash, outputIndex: Number(index) }), decodeCell(cell, network));
  }
  return cells;
}

/** Recognises a block's network by the genesis hash, or by dependencies and type scripts; null if both or none fit. */
function networkOfBlock({ header, transactions }: NodeBlock): Network | null {
  // Anyone may deploy the same code elsewhere, so its data hash says nothing.
  const isKnownOnlyOn = (network: Network, script: NodeScript) =>
    script.hash_type === "type" &&
    NETWORKS.every((each) => (knownScript(script, each) !== null) === (each === network));
  const [network, ...others] = NETWORKS.filter(
    (each) =>
      header.hash === GENESIS_HASHES[each] ||
      transactions.some(
        ({ cell_deps: deps, outputs }) =>
          deps.some((dep) => deploymentTransactions[each].has(dep.out_point.tx_hash)) ||
          outputs.some(({ type }) => type !== null && isKnownOnlyOn(each, type)),
      ),
  );
  return network !== undefined && others.length === 0 ? network : null;
}

/** Reads blocks as `get_block` returns them at verbosity 2, or its whole responses. Throws InvalidChainDataError. */
export async function* readFiles(files: readonly string[]): AsyncGenerator<FileBlock> {
  for (const file of files) {
    for await (const { value, where } of readValues(file)) yield readFileBlock(value, where);
  }
}

export function readFileBlock(json: unknown, where: string): FileBlock {
  const isResponse = typeof json === "object" && json !== null && "jsonrpc" in json && "result" in json;
  const block = parseNodeBlock(isResponse ? json.result : json, where);
  return {
    where,
    network: networkOfBlock(block),
    verify: (network) => verifyBlock(block, networkNamed(network), where),
  };
}
