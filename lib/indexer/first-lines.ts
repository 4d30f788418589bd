/** Lines of which there may be a million: the first ones are kept, all are counted. */
export class FirstLines {
  readonly #most: number;
  readonly #kept: string[] = [];
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(...lines: string[]): void {
    this.count += lines.length;
    this.#kept.push(...lines.slice(0, Math.max(0, this.#most - this.#kept.length)));
  }

  /** The kept lines; if there were more, `rest` is the last one. */
  lines(rest: (more: number, all: number) => string): string[] {
    const more = this.count - this.#kept.length;
    return more === 0 ? this.#kept : [...this.#kept, rest(more, this.count)];
  }
}

/** A value on one line, whatever characters it has. */
export const quoted = (value: unknown): string =>
  /^[\w.:-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
