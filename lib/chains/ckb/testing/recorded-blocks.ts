/** Real blocks of CKB, for tests and benchmarks. Without them, the lists are empty, and reading one throws. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Network } from "#lib/chains/ckb/known-scripts.ts";
import { realBlocks } from "#lib/testing/real-blocks.ts";

const folder = realBlocks("ckb");

export const hasRecordedBlocks = folder !== null;

export interface RecordedBlock {
  height: number;
  hash: string;
  network: Network;
  /** Number of its transactions. */
  transactions: number;
}

const fileOf = (name: string): string => join(folder ?? "ckb-blocks", name);

/** All recorded blocks by height. Heights of different networks are unrelated. */
export const recordedBlocks = hasRecordedBlocks
  ? (readJson(fileOf("manifest.json")) as { blocks: RecordedBlock[] }).blocks
  : [];

/** Every output that the recorded blocks spend, as `aqs import --cells` reads it. */
export const recordedCellsFile = fileOf("cells.json");

/** A recorded block as a node's `get_block` returns it. */
export const recordedBlockFile = (height: number): string => fileOf(`blocks/${height}.json`);

export const recordedBlocksOf = (network: Network): RecordedBlock[] =>
  recordedBlocks.filter((block) => block.network === network);

export const readRecordedBlock = (height: number): unknown => readJson(recordedBlockFile(height));

export const readRecordedCells = (): unknown => readJson(recordedCellsFile);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
