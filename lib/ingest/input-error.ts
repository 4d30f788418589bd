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
