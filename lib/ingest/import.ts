import { type FileHandle, open } from "node:fs/promises";
import {
  detectNetwork,
  networkOfBlock,
  parseCells,
  parseNodeBlock,
  verifyBlock,
} from "#lib/chains/ckb/block.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { Network } from "#lib/chains/ckb/known-scripts.ts";
import { InvalidChainDataError, type Output, outPointText } from "#lib/contract/ledger.ts";
import { ChainConflictError, type Store } from "#lib/store/store.ts";
import { type ForeignOutputs, resolveBlocks, UnknownInputError } from "./resolve.ts";

/** Blocks resolved and stored together: enough to spread fixed costs, few enough to keep memory flat. */
const BATCH_BLOCKS = 100;

/** A file that was refused whole, and why. */
export interface RefusedFile {
  file: string;
  reason: string;
}

export interface ImportResult {
  /** Blocks that were new. */
  stored: number;
  /** Blocks that were there already. */
  known: number;
  refused: RefusedFile[];
}

export interface ImportOptions {
  files: string[];
  /** Path of previous outputs, `"<tx hash>:<index in hex>"` → `{ output, data }`. */
  cells?: string | undefined;
  network?: Network | undefined;
}

/**
 * Imports blocks as a node's `get_block` returns them, one a file or one a line. Every file is stored
 * wholly or not at all; a refused one does not keep the others from being stored. A file that spends what
 * a later file creates waits for it, so the order of files does not matter.
 */
export async function importFiles(store: Store, options: ImportOptions): Promise<ImportResult> {
  const network = await networkOf(store, options);
  const cells = options.cells ? await readCells(options.cells, network) : new Map<string, Output>();
  const foreign: ForeignOutputs = async (outPoints) => {
    const known = outPoints.map(outPointText).filter((key) => cells.has(key));
    return new Map(known.map((key) => [key, cells.get(key)!]));
  };
  const result: ImportResult = { stored: 0, known: 0, refused: [] };
  let waiting = options.files;
  for (;;) {
    const before = waiting.length;
    const stillWaiting: RefusedFile[] = [];
    for (const file of waiting) {
      try {
        const counts = await store.atomically(() => importFile(store, file, network, foreign));
        result.stored += counts.stored;
        result.known += counts.known;
      } catch (error) {
        if (!(error instanceof InvalidChainDataError) && !(error instanceof ChainConflictError)) throw error;
        const refused = { file, reason: error.message };
        (error instanceof UnknownInputError ? stillWaiting : result.refused).push(refused);
      }
    }
    if (stillWaiting.length === 0) return result;
    if (stillWaiting.length === before) {
      result.refused.push(...stillWaiting);
      return result;
    }
    waiting = stillWaiting.map((refused) => refused.file);
  }
}

async function importFile(store: Store, file: string, network: Network, foreign: ForeignOutputs) {
  await within(file, () => store.identify({ network, native: NATIVE_ASSET, demo: false }));
  let stored = 0;
  let total = 0;
  for await (const batch of batches(readBlocks(file), BATCH_BLOCKS)) {
    const blocks = batch.map(({ json, where }) => {
      const node = parseNodeBlock(json, where);
      const seen = networkOfBlock(node);
      if (seen && seen !== network) {
        throw new InvalidChainDataError(`${where}: this is a block of ${seen}, not of ${network}`);
      }
      return verifyBlock(node, network, where);
    });
    total += blocks.length;
    const present = await store.hasBlocks(blocks.map((block) => block.hash));
    const fresh = blocks.filter((_, i) => !present[i]).sort((a, b) => a.height - b.height);
    stored += await within(batch.length === 1 ? batch[0]!.where : file, async () => {
      const resolved = await resolveBlocks(fresh, store, NATIVE_ASSET.id, foreign);
      return store.applyBlocks(resolved, { extendTip: false });
    });
  }
  return { stored, known: total - stored };
}

/** Puts the place before what the work finds to be at odds with the chain. */
async function within<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownInputError || error instanceof ChainConflictError) {
      error.message = `${where}: ${error.message}`;
    }
    throw error;
  }
}

/** The network that was asked for, else the database's own, else what the blocks themselves show. */
async function networkOf(store: Store, options: ImportOptions): Promise<Network> {
  const identity = await store.identity();
  if (options.network) {
    if (identity && (identity.network !== options.network || identity.demo)) {
      const holds = identity.demo ? "the demo chain" : identity.network;
      throw new ChainConflictError(
        `This database holds ${holds}; ${options.network} cannot be mixed into it`,
      );
    }
    return options.network;
  }
  if (identity) return identity.network as Network;
  // A file that cannot be read tells nothing here, and is refused, with the reason, when its turn comes.
  const faults: string[] = [];
  for (const file of options.files) {
    try {
      for await (const { json, where } of readBlocks(file)) {
        const network = detectNetwork(json);
        if (network) return network;
        parseNodeBlock(json, where);
      }
    } catch (error) {
      if (!(error instanceof InvalidChainDataError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length < options.files.length) {
    faults.push("These blocks do not show which network they are of: give --network");
  }
  throw new InvalidChainDataError(faults.join("\n"));
}

async function readCells(file: string, network: Network): Promise<Map<string, Output>> {
  return parseCells(parseJson(await readText(file), file), network, file);
}

/** The blocks of a file with their places: one a line where the first line is JSON by itself, else one. */
async function* readBlocks(file: string): AsyncGenerator<{ json: unknown; where: string }> {
  const handle = await openFile(file);
  try {
    let number = 0;
    let found = 0;
    for await (const line of handle.readLines()) {
      number += 1;
      if (line.trim() === "") continue;
      const first = found === 0 ? tryJson(line) : undefined;
      if (found === 0 && first === undefined) {
        yield { json: blockIn(parseJson(await readText(file), file)), where: file };
        return;
      }
      found += 1;
      const where = `${file}:${number}`;
      yield { json: blockIn(first ?? parseJson(line, where)), where };
    }
    if (found === 0) throw new InvalidChainDataError(`${file}: the file is empty`);
  } finally {
    await handle.close();
  }
}

/** The block alone, also where it was saved as the whole answer of a JSON-RPC call. */
function blockIn(json: unknown): unknown {
  const isAnswer = typeof json === "object" && json !== null && "jsonrpc" in json && "result" in json;
  return isAnswer ? json.result : json;
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw new InvalidChainDataError(`${file}: ${(error as Error).message}`);
  }
  throw new InvalidChainDataError(`${file}: not a file`);
}

async function readText(file: string): Promise<string> {
  const handle = await openFile(file);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidChainDataError(`${where}: not JSON: ${(error as Error).message}`);
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
