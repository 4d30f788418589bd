import { readFile } from "node:fs/promises";
import { InvalidInputError } from "./input-error.ts";

/** A file's text without a byte order mark. Throws InvalidInputError if it cannot be read. */
export async function readInput(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
}
