/**
 * A map that remembers what was used last, in bounded space. It has two generations: what is set or found goes
 * to the young one; when that is full it takes the place of the old one, whose entries are forgotten together.
 */
export class RecentMap<K, V> {
  readonly #most: number;
  readonly #weigh: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /**
   * @param most how much a generation may weigh; two are kept
   * @param weigh what a value weighs; 1 unless told
   */
  constructor(most: number, weigh: (value: V) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** A value that alone weighs more than a generation may is not kept. */
  set(key: K, value: V): void {
    const weight = this.#weigh(value);
    if (weight > this.#most) return;
    if (this.#weight + weight > this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, value);
    this.#weight += weight;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }
}
