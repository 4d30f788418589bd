/** The real blocks in `lib/testing/blocks`, for tests and benchmarks; the README there says where they come from. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Network } from "#lib/chains/ckb/known-scripts.ts";

const folder = fileURLToPath(new URL("../../../testing/blocks/", import.meta.url));

export interface RecordedBlock {
  height: number;
  hash: string;
  network: Network;
  /** How many transactions it holds. */
  transactions: number;
}

/** All recorded blocks by height. Heights of different networks are unrelated. */
export const recordedBlocks = (readJson(`${folder}manifest.json`) as { blocks: RecordedBlock[] }).blocks;

/** Every output that the recorded blocks spend, as `aqs import --cells` reads it. */
export const recordedCellsFile = `${folder}cells.json`;

/** A recorded block as a node's `get_block` returns it. */
export const recordedBlockFile = (height: number): string => `${folder}${height}.json`;

export const recordedBlocksOf = (network: Network): RecordedBlock[] =>
  recordedBlocks.filter((block) => block.network === network);

export const readRecordedBlock = (height: number): unknown => readJson(recordedBlockFile(height));

export const readRecordedCells = (): unknown => readJson(recordedCellsFile);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
