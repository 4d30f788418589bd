/** Shares a limited amount. No caller may hold more than what was free before, so others always find some. */
export class Shares {
  readonly #most: number;
  readonly #held = new Map<string, number>();
  total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  isLeftFor(caller: string, amount: number): boolean {
    return this.heldBy(caller) + amount <= this.#most - this.total;
  }

  take(caller: string, amount: number): void {
    this.total += amount;
    const held = this.heldBy(caller) + amount;
    if (held === 0) this.#held.delete(caller);
    else this.#held.set(caller, held);
  }
}
