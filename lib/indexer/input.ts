/** Reads files of the operator within limits, and reports what is wrong with them. */
import { access, constants, open } from "node:fs/promises";
import { readAtMost } from "#lib/util/http.ts";
import { FirstLines } from "./first-lines.ts";

/** An input file is invalid; each fault names the file and the place in it. */
export class InvalidInputError extends Error {
  /** One line each. Text from the file may be in it. */
  readonly faults: readonly string[];

  constructor(...faults: string[]) {
    super(faults.join("\n"));
    this.name = "InvalidInputError";
    this.faults = faults;
  }
}

/** Throws InvalidInputError if no file can be read: a command that creates a database checks that first. */
export async function requireReadable(...files: string[]): Promise<void> {
  const results = await Promise.allSettled(files.map((file) => access(file, constants.R_OK)));
  const faults = results.flatMap((result, i) =>
    result.status === "rejected" ? [`${files[i]}: ${(result.reason as Error).message}`] : [],
  );
  if (faults.length === files.length) throw new InvalidInputError(...faults);
}

/** The faults of a file. The first hundred are named, and all are counted. */
export class Faults extends FirstLines {
  constructor(file: string) {
    super(100, (more, all) => `${file}: ${more} more faults are not listed, ${all} in all`);
  }

  /** Throws InvalidInputError if there are faults. */
  refuse(): void {
    if (this.count > 0) throw new InvalidInputError(...this.lines);
  }
}

/** Maximum length of a line, in characters. */
const MAX_LINE = 1_000_000;

/** Reads a file of any size line by line, without its byte order mark. Throws InvalidInputError. */
export async function* inputLines(file: string): AsyncGenerator<string> {
  try {
    await using handle = await open(file);
    let rest = "";
    let isFirst = true;
    for await (const chunk of handle.createReadStream({ encoding: "utf8", highWaterMark: 1024 * 1024 })) {
      const lines = (rest + (isFirst ? chunk.replace(BYTE_ORDER_MARK, "") : chunk)).split("\n");
      isFirst = false;
      rest = lines.pop()!;
      if (rest.length > MAX_LINE) throw new Error(`a line has more than ${MAX_LINE} characters`);
      yield* lines;
    }
    yield rest;
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
}

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Reads a file or a pipe without its byte order mark. Throws InvalidInputError if it has more than `most` bytes. */
export async function readInput(file: string, most: number): Promise<string> {
  try {
    await using handle = await open(file);
    const body = handle.createReadStream({ highWaterMark: 1024 * 1024 });
    const bytes = await readAtMost({ body }, most);
    if (!bytes) throw new Error(`longer than ${most / 1_000_000} MB, which is the most that is read at once`);
    return bytes.toString("utf8").replace(BYTE_ORDER_MARK, "");
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
}
