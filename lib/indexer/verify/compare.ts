import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Block, type Output, outPointText, type TokenReference } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import type { StoredBlock } from "#lib/queries/stored.ts";
import { fetchBlocks, Pace } from "../block-queue.ts";
import { assetTotals, attribute } from "../derive.ts";
import { quoted } from "../first-lines.ts";
import { toBlock } from "../resolve.ts";

/** Attempts at a request before the comparison ends. */
const ATTEMPTS = 6;
/** Milliseconds before the second attempt; they double with each one. */
const FIRST_RETRY = 500;

/** A node whose blocks are compared with the stored ones. */
export interface NodeToCompare {
  source: ChainSource;
  /** Number of blocks to compare, chosen at random; all of them by default. */
  sample?: number | undefined;
}

/**
 * Compares stored blocks with a node's, in order of height: all of them, or some that are chosen at random.
 * @param count number of stored blocks, the last one of height `highest`
 */
export function nodeComparison(node: NodeToCompare, count: number, highest: number, horizon: number) {
  const { source, sample = count } = node;
  const isChosen = randomChoice(sample, count);
  const pace = new Pace();
  let isOver = false;
  let blocks: AsyncGenerator<Block, void> | null = null;
  let next = -1;

  const end = (height: number, reason: string): string => {
    isOver = true;
    return `block ${height} and those above it were not compared: ${reason}`;
  };
  /** Requests a block, and the outputs that it spends from outside the indexed blocks; null if the node has none. */
  const request = async (height: number, { transactions }: StoredBlock) => {
    // If all blocks are compared, they are requested ahead.
    if (sample < count || !blocks || height !== next) {
      void blocks?.return();
      blocks = fetchBlocks(source, height, sample < count ? height : highest, null, pace);
    }
    next = height + 1;
    const { value: block } = await blocks.next();
    if (!block) return null;
    const inputs = transactions.flatMap(({ inputs }) => inputs.filter(({ createdBy }) => createdBy === null));
    return { block, outside: await source.outputs(inputs.map(({ outPoint }) => outPoint)) };
  };
  const requestPersistently = async (height: number, stored: StoredBlock) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request(height, stored);
      } catch (error) {
        if (!(error instanceof SourceError) || attempt === ATTEMPTS) return error as Error;
        blocks = null;
        await setTimeout(FIRST_RETRY * 2 ** (attempt - 1));
      }
    }
  };
  return {
    [Symbol.dispose](): void {
      void blocks?.return();
    },

    /** Yields a line for each value that the node contradicts. Call it for every stored block, even unreadable ones. */
    async *faultsAt(height: number, stored: StoredBlock | undefined): AsyncGenerator<string> {
      if (isOver || !isChosen() || !stored) return;
      const said = await requestPersistently(height, stored);
      if (said instanceof Error) return yield end(height, said.message);
      if (!said) return yield end(height, "the node has no such block");
      const [counted, count] = [stored.transactionCount, said.block.transactions.length];
      if (counted !== count)
        yield `block ${height}: ${counted} transactions are counted, the node says ${count}`;
      const block = height > horizon ? said.block : remnantOf(said.block, stored);
      for (const difference of differencesOf(stored, block, said.outside, source.native.id, horizon)) {
        yield `block ${height}: ${difference}`;
      }
    },
  };
}

/** Chooses `wanted` of `count` things, one per call. All choices are equally likely. */
export function randomChoice(wanted: number, count: number): () => boolean {
  return () => {
    const isChosen = Math.random() * count < wanted;
    count -= 1;
    if (isChosen) wanted -= 1;
    return isChosen;
  };
}

/** Reduces the block to the parts that are still stored. The asset of a claim is the stored one: it depends on spent outputs. */
function remnantOf(block: Block, stored: StoredBlock): Block {
  const transactions = stored.transactions.flatMap(({ index, ...left }) => {
    const said = block.transactions[index];
    if (!said) return [];
    const outputs = left.outputs.flatMap(({ index }) => said.outputs[index] ?? []);
    const claims = left.claims.flatMap(({ assetId, outputIndex }) =>
      said.claims
        .filter((claim) => claim.outputIndex === outputIndex && (claim.assetId ?? assetId) === assetId)
        .map((claim) => ({ ...claim, assetId })),
    );
    return { ...said, inputs: [], outputs, claims };
  });
  return { ...block, transactions };
}

/** @param outside the spent outputs that no indexed block created, by `outPointText` */
function* differencesOf(
  stored: StoredBlock,
  block: Block,
  outside: ReadonlyMap<string, Output>,
  nativeId: string,
  horizon: number,
): Generator<string> {
  const transactions = block.transactions.map((transaction, i) => {
    const inputs = stored.transactions[i]?.inputs ?? [];
    return { ...transaction, claims: attribute(transaction, inputs, assetTotals(inputs, nativeId)) };
  });
  yield* differences(comparable(toBlock(stored, new Map())), comparable({ ...block, transactions }));
  for (const { index, inputs } of stored.transactions) {
    for (const { index: input, outPoint, output, createdBy } of inputs) {
      const said = outside.get(outPointText(outPoint));
      if (createdBy !== null) continue;
      const path = `transactions.${index}.inputs.${input}.output`;
      yield* differences(comparableOutput(output), said && comparableOutput(said), path);
    }
  }
  yield* tokenDifferences(
    stored,
    [...block.transactions.flatMap(({ outputs }) => outputs), ...outside.values()],
    horizon,
  );
}

/** Reduces token and address to their keys: the token's other facts come from its first output, and are compared there. */
const comparableOutput = ({ token, address, ...output }: Output) => ({
  ...output,
  address: { key: address.key },
  token: token?.id ?? "",
});

const comparable = ({ warnings, bytes, ...block }: Block) => ({
  ...block,
  transactions: block.transactions.map(({ inputs, outputs, claims, ...transaction }) => ({
    ...transaction,
    inputs: inputs.map(outPointText),
    outputs: outputs.map(comparableOutput),
    claims: claims.toSorted(
      (a, b) => a.outputIndex - b.outputIndex || ((a.assetId ?? "") < (b.assetId ?? "") ? -1 : 1),
    ),
  })),
});

/** Compares the facts of tokens that this block, or one up to the horizon, is the first to mention. */
function* tokenDifferences(stored: StoredBlock, said: Output[], horizon: number): Generator<string> {
  const outputs = stored.transactions.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]);
  const byId = new Map<string, TokenReference>();
  for (const { output } of outputs) if (output.token) byId.set(output.token.id, output.token);
  for (const { assetId, firstHeight } of stored.changes) {
    const token = byId.get(assetId);
    const isFirst = firstHeight === stored.height || (firstHeight !== null && firstHeight <= horizon);
    if (!token || !isFirst) continue;
    const mentions = said.flatMap(({ token: mentioned }) => {
      if (mentioned?.id !== assetId) return [];
      const { issuer, ...stored } = mentioned;
      return stored;
    });
    if (mentions.length === 0 || mentions.some((mention) => isDeepStrictEqual(mention, token))) continue;
    yield* differences(token, mentions[0], `token ${assetId}`);
  }
}

/** Yields a line for each value that differs, with its path. */
function* differences(stored: unknown, said: unknown, path = ""): Generator<string> {
  if (!isObject(stored) || !isObject(said)) {
    if (stored !== said) yield `${path} is ${inWords(stored)}, the node says ${inWords(said)}`;
    return;
  }
  for (const key of Object.keys({ ...said, ...stored })) {
    yield* differences(stored[key], said[key], path === "" ? key : `${path}.${key}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const inWords = (value: unknown): string =>
  value === undefined ? "missing" : isObject(value) ? "there" : quoted(value);
