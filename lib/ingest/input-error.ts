import { FirstLines } from "./first-lines.ts";

/** An input file is invalid; each fault names the file and the place in it. */
export class InvalidInputError extends Error {
  /** What is wrong: one line each, though text from the file may be in it. */
  readonly faults: readonly string[];

  constructor(faults: string | readonly string[]) {
    const list = typeof faults === "string" ? [faults] : faults;
    super(list.join("\n"));
    this.name = "InvalidInputError";
    this.faults = list;
  }
}

/** Faults that are named; further ones are counted. */
const MAX_NAMED = 100;

/** Collects the faults of a file that may have a million of them. */
export class Faults {
  readonly #lines = new FirstLines(MAX_NAMED);

  add(fault: string): void {
    this.#lines.add(fault);
  }

  /** Throws InvalidInputError if there are faults. */
  refuse(file: string): void {
    if (this.#lines.count === 0) return;
    throw new InvalidInputError(
      this.#lines.lines((more, all) => `${file}: ${more} more faults are not listed, ${all} in all`),
    );
  }
}
