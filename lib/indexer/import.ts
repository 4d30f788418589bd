import { readJson } from "#lib/contract/block-file.ts";
import type { Chain, FileBlock } from "#lib/contract/chain.ts";
import { type Block, InvalidChainDataError, MissingBlocksError } from "#lib/contract/ledger.ts";
import { chainIdentity, heightsOf } from "#lib/queries/chain.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { countOutputs } from "./block-queue.ts";
import { InvalidInputError } from "./input.ts";
import { type OutsideOutputs, resolveBlocks } from "./resolve.ts";

/** Limits of a batch: large enough to spread fixed costs, small enough to bound memory. */
const BATCH_BLOCKS = 100;
const BATCH_OUTPUTS = 15_000;

interface RefusedFile {
  file: string;
  reason: string;
}

export interface ImportOptions {
  files: string[];
  previousOutputs?: string | undefined;
  network?: string | undefined;
}

type ImportedChain = Pick<Chain, "terms" | "blockFiles">;

/**
 * Stores each file completely or not at all; a refused file does not stop the others. Files may come in any order: a file
 * that needs blocks of others waits for them. Files that need each other are stored together, or not at all.
 */
export async function importFiles(store: Store, chain: ImportedChain, options: ImportOptions) {
  const network = await networkOf(store, chain, options);
  const previous = options.previousOutputs;
  const outputs = previous
    ? chain.blockFiles.previousOutputs.read(await readJson(previous), network, previous)
    : new Map<string, never>();
  const outsideOutputs = async () => outputs;
  const refused: RefusedFile[] = [];
  /** Warnings of the stored blocks, with the first place of each. */
  const warnings = new Map<string, string>();
  let stored = 0;
  let known = 0;
  let lacking = 0;
  /** Stores the files together. Resolves to the error if they are refused. */
  const refusalOf = async (files: readonly string[]): Promise<Error | null> => {
    try {
      const counts = await store.atomically(() =>
        importTogether(store, chain, files, network, outsideOutputs),
      );
      stored += counts.stored;
      known += counts.known;
      for (const [warning, where] of counts.warnings) {
        if (!warnings.has(warning)) warnings.set(warning, `${where}: ${warning}`);
      }
      return null;
    } catch (error) {
      if (!(error instanceof InvalidChainDataError) && !(error instanceof ChainConflictError)) throw error;
      return error;
    }
  };
  for (let files = options.files; files.length > 0; ) {
    const waiting: RefusedFile[] = [];
    for (const file of files) {
      const refusal = await refusalOf([file]);
      if (!refusal) continue;
      (refusal instanceof MissingBlocksError ? waiting : refused).push({ file, reason: refusal.message });
    }
    const left = waiting.map(({ file }) => file);
    if (left.length < files.length) {
      // Blocks often come newest first: those that wait then follow in the right order.
      files = left.reverse();
      continue;
    }
    // None can be stored by itself, but some may need each other.
    const given = options.files.filter((file) => left.includes(file));
    if (left.length === 1 || (await refusalOf(given))) {
      refused.push(...waiting);
      lacking = waiting.length;
    }
    break;
  }
  return { stored, known, refused, warnings: [...warnings.values()], lacking };
}

async function importTogether(
  store: Store,
  { terms, blockFiles }: ImportedChain,
  files: readonly string[],
  network: string,
  outsideOutputs: OutsideOutputs,
) {
  const { native } = terms;
  const place = files.join(", ");
  await within(place, () => store.write(identify, { network, native, demo: false }));
  let stored = 0;
  let total = 0;
  const warnings = new Map<string, string>();
  const read = blockFiles.read(files, { network, heightsOf: (hashes) => store.query(heightsOf, hashes) });
  for await (const batch of batches(read, network)) {
    for (const { where, block } of batch) {
      for (const warning of block.warnings ?? []) if (!warnings.has(warning)) warnings.set(warning, where);
    }
    const blocks = batch.map(({ block }) => block);
    total += blocks.length;
    const hashes = blocks.map((block) => block.hash);
    const present = await store.query(heightsOf, hashes);
    const fresh = blocks.filter((_, i) => present[i] === null).sort((a, b) => a.height - b.height);
    stored += await within(batch.length === 1 ? batch[0]!.where : place, async () => {
      const resolved = await resolveBlocks(fresh, store, native.id, outsideOutputs);
      return store.write(applyBlocks, resolved, { extendTip: false });
    });
  }
  return { stored, known: total - stored, warnings };
}

/** Prefixes the place to errors about how the blocks fit the chain. */
async function within<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MissingBlocksError || error instanceof ChainConflictError) {
      error.message = `${where}: ${error.message}`;
    }
    throw error;
  }
}

/** Returns the requested network, else the database's, else the one that the blocks show. */
async function networkOf(store: Store, chain: ImportedChain, options: ImportOptions): Promise<string> {
  const identity = await store.query(chainIdentity);
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
  // An unreadable file is skipped here, and refused with the reason when it is imported.
  const faults: string[] = [];
  for (const file of options.files) {
    try {
      const network = await chain.blockFiles.networkOf(file);
      if (network !== null) return network;
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

/** Yields verified blocks with their places, in the groups that are stored together. */
async function* batches(blocks: AsyncIterable<FileBlock>, network: string) {
  let batch: { where: string; block: Block }[] = [];
  let outputs = 0;
  for await (const { network: own, where, verify } of blocks) {
    if (own !== null && own !== network) {
      throw new InvalidChainDataError(`${where}: this is a block of ${own}, not of ${network}`);
    }
    const block = verify(network);
    batch.push({ where, block });
    outputs += countOutputs([block]);
    if (batch.length < BATCH_BLOCKS && outputs < BATCH_OUTPUTS) continue;
    yield batch;
    batch = [];
    outputs = 0;
  }
  if (batch.length > 0) yield batch;
}
