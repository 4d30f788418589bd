/** What an address held after a block, from `GET /series`. */
export interface SeriesPoint {
  height: number;
  hash: string;
  /** Of the block, in milliseconds since the Unix epoch. */
  timestamp: number;
  /** Exact digits in the smallest unit; of one asset only. */
  amount: string | null;
  /** US dollars at the prices as of the block's time, as decimal text; null if nothing held then had a price. */
  valueUsd: string | null;
  /** Assets held then that had no price yet: the value lacks them. */
  unpriced: number;
}

export interface AddressSeries {
  /** In order of height; null if the address has too many transactions in the span. */
  points: SeriesPoint[] | null;
  /** Missing blocks, or a span that is too short, leave these unknown. */
  dayAgo: SeriesPoint | null;
  weekAgo: SeriesPoint | null;
}
