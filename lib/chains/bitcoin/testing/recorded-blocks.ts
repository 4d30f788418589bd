/** Real blocks of Bitcoin and Litecoin, for tests. Without them, reading one throws. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realBlocks } from "#lib/testing/real-blocks.ts";

const folder = realBlocks("bitcoin");

export const hasRecordedBlocks = folder !== null;

/** The path of a file in the folder of these blocks. */
export const recordedFile = (name: string): string => join(folder ?? "bitcoin-blocks", name);

export const readRecorded = (name: string): string => readFileSync(recordedFile(name), "utf8");
