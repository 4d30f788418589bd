/** Collects the first lines, and counts all of them, because there may be a million. */
export class FirstLines {
  readonly #most: number;
  readonly #first: string[] = [];
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(...lines: string[]): void {
    this.count += lines.length;
    this.#first.push(...lines.slice(0, Math.max(0, this.#most - this.#first.length)));
  }

  /** The first lines; if there are more, `rest` makes the last one. */
  lines(rest: (more: number, all: number) => string): string[] {
    const more = this.count - this.#first.length;
    return more === 0 ? this.#first : [...this.#first, rest(more, this.count)];
  }
}

/** Writes a value on one line, whatever characters it has. */
export const quoted = (value: unknown): string =>
  /^[\w.:-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
