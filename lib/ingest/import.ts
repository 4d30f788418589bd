import { type FileHandle, open } from "node:fs/promises";
import type { Chain } from "#lib/contract/chain.ts";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { chainIdentity, hasBlocks } from "#lib/questions/chain.ts";
import type { Store } from "#lib/store/engine.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { ChainConflictError } from "#lib/store/store.ts";
import { InvalidInputError } from "./input.ts";
import { type ForeignOutputs, resolveBlocks, UnknownInputError } from "./resolve.ts";

/** Blocks resolved and stored together: enough to spread fixed costs, few enough to limit memory. */
const BATCH_BLOCKS = 100;

/** A file of which nothing was stored, and why. */
interface RefusedFile {
  file: string;
  reason: string;
}

interface ImportResult {
  /** Blocks that were new. */
  stored: number;
  /** Blocks that the database already had. */
  known: number;
  refused: RefusedFile[];
  /** What the stored blocks warn of, each with the first place. */
  warnings: string[];
}

export interface ImportOptions {
  files: string[];
  /** Path of the chain's file of previous outputs. */
  previousOutputs?: string | undefined;
  network?: string | undefined;
}

/** Bytes in hex, or a number before them. */
const HEX_LINE = /^\s*(?:\d+ +)?(?:[0-9a-f]{2}){80,}\s*$/i;

/** What an import needs of the chain. */
type ImportedChain = Pick<Chain, "terms" | "blockFiles">;

/**
 * Stores each file completely or not at all; a refused one does not stop the others. Files may come in any order: one that
 * spends what a later one creates waits for it.
 */
export async function importFiles(
  store: Store,
  chain: ImportedChain,
  options: ImportOptions,
): Promise<ImportResult> {
  const network = await networkOf(store, chain, options);
  const previous = options.previousOutputs;
  const outputs = previous
    ? chain.blockFiles.previousOutputs.read(parseJson(await readText(previous), previous), network, previous)
    : new Map<string, never>();
  const foreign = async () => outputs;
  const result: ImportResult = { stored: 0, known: 0, refused: [], warnings: [] };
  const warned = new Set<string>();
  for (let files = options.files; ; ) {
    const waiting: RefusedFile[] = [];
    for (const file of files) {
      try {
        const counts = await store.atomically(() => importFile(store, chain, file, network, foreign));
        result.stored += counts.stored;
        result.known += counts.known;
        for (const [warning, where] of counts.warnings) {
          if (!warned.has(warning)) result.warnings.push(`${where}: ${warning}`);
          warned.add(warning);
        }
      } catch (error) {
        if (!(error instanceof InvalidChainDataError) && !(error instanceof ChainConflictError)) throw error;
        const refused = { file, reason: error.message };
        (error instanceof UnknownInputError ? waiting : result.refused).push(refused);
      }
    }
    if (waiting.length === 0 || waiting.length === files.length) {
      result.refused.push(...waiting);
      return result;
    }
    files = waiting.map(({ file }) => file);
  }
}

async function importFile(
  store: Store,
  { terms, blockFiles }: ImportedChain,
  file: string,
  network: string,
  foreign: ForeignOutputs,
) {
  const { native } = terms;
  await within(file, () => store.write(identify, { network, native, demo: false }));
  let stored = 0;
  let total = 0;
  const warnings = new Map<string, string>();
  for await (const batch of batches(readValues(file), BATCH_BLOCKS)) {
    const blocks = batch.map(({ json, where }) => {
      const block = blockFiles.readBlock(json, where);
      if (block.network !== null && block.network !== network) {
        throw new InvalidChainDataError(`${where}: this is a block of ${block.network}, not of ${network}`);
      }
      const verified = block.verify(network);
      for (const warning of verified.warnings ?? []) {
        if (!warnings.has(warning)) warnings.set(warning, where);
      }
      return verified;
    });
    total += blocks.length;
    const hashes = blocks.map((block) => block.hash);
    const present = await store.ask(hasBlocks, hashes);
    const fresh = blocks.filter((_, i) => !present[i]).sort((a, b) => a.height - b.height);
    stored += await within(batch.length === 1 ? batch[0]!.where : file, async () => {
      const resolved = await resolveBlocks(fresh, store, native.id, foreign);
      return store.write(applyBlocks, resolved, { extendTip: false });
    });
  }
  return { stored, known: total - stored, warnings };
}

/** Puts the place in front of errors about how the blocks fit the chain. */
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

/** The requested network, otherwise the database's own, otherwise what the blocks show. */
async function networkOf(store: Store, chain: ImportedChain, options: ImportOptions): Promise<string> {
  const identity = await store.ask(chainIdentity);
  if (options.network) {
    if (identity && (identity.network !== options.network || identity.demo)) {
      const holds = identity.demo ? "the demo chain" : identity.network;
      throw new ChainConflictError(
        `This database holds ${holds}; ${options.network} cannot be mixed into it`,
      );
    }
    return options.network;
  }
  if (identity) return identity.network;
  // An unreadable file is skipped here. It is refused, with the reason, when it is imported.
  const faults: string[] = [];
  for (const file of options.files) {
    try {
      for await (const { json, where } of readValues(file)) {
        const { network } = chain.blockFiles.readBlock(json, where);
        if (network !== null) return network;
      }
    } catch (error) {
      if (!(error instanceof InvalidChainDataError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length < options.files.length) {
    faults.push("These blocks do not show which network they belong to: give --network");
  }
  throw new InvalidInputError(...faults);
}

/** The values of a file with their places: one a line if the first line is complete JSON or hex, otherwise one. */
async function* readValues(file: string): AsyncGenerator<{ json: unknown; where: string }> {
  await using handle = await openFile(file);
  let number = 0;
  let found = 0;
  for await (const line of handle.readLines({ autoClose: false })) {
    number += 1;
    if (line.trim() === "") continue;
    found += 1;
    const where = `${file}:${number}`;
    if (HEX_LINE.test(line)) {
      yield { json: line.trim(), where };
      continue;
    }
    if (found === 1 && !isJson(line)) {
      yield { json: parseJson(await readText(file), file), where: file };
      return;
    }
    yield { json: parseJson(line, where), where };
  }
  if (found === 0) throw new InvalidChainDataError(`${file}: the file is empty`);
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
  await using handle = await openFile(file);
  return await handle.readFile("utf8");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
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
