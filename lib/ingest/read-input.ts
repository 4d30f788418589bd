import { open } from "node:fs/promises";
import { InvalidInputError } from "./input-error.ts";

/**
 * A file's text without a byte order mark. Throws InvalidInputError if it cannot be read or has more than `most` bytes,
 * counted as they arrive: a pipe has no size.
 */
export async function readInput(file: string, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    await using handle = await open(file);
    for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024 })) {
      bytes += chunk.length;
      if (bytes > most) {
        throw new Error(`longer than ${most / 1_000_000} MB, which is the most that is read at once`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
  return Buffer.concat(chunks, bytes)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}
