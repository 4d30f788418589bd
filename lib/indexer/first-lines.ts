/** Collects the first lines, and counts all of them, because there may be a million. */
export class FirstLines {
  readonly #most: number;
  readonly #rest: (more: number, all: number) => string;
  readonly #first: string[] = [];
  count = 0;

  /** @param rest makes the line in place of further ones */
  constructor(most: number, rest: (more: number, all: number) => string) {
    this.#most = most;
    this.#rest = rest;
  }

  add(...lines: string[]): void {
    this.count += lines.length;
    this.#first.push(...lines.slice(0, Math.max(0, this.#most - this.#first.length)));
  }

  get lines(): string[] {
    const more = this.count - this.#first.length;
    return more === 0 ? this.#first : [...this.#first, this.#rest(more, this.count)];
  }
}

/** Writes a value on one line, whatever characters it has. */
export const quoted = (value: unknown): string =>
  /^[\w.:-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
