/** What the home page shows of the chain, from `GET /latest-blocks`, `/moved` and `/visits`. */

import { terms } from "#terms";
import type { ListedNames } from "./chain-text.ts";
import { countOf, formatCount } from "./format.ts";

export interface ShownAsset extends ListedNames {
  icon: string;
}

/** Values are in units of 10^-8 US dollars. */
export interface LatestBlock {
  height: number;
  hash: string;
  /** Milliseconds since the Unix epoch. */
  timestamp: number;
  transactionCount: number;
  assetCount: number;
  /** Assets moved that have no price. */
  unpricedCount: number;
  volumeUsd: string;
  /** The assets of the highest values, by id; those of blocks further down have only the first. */
  largest: { id: string; volumeUsd: string }[];
}

/** What a block has most of that can be told: assets, or transactions on a chain with one asset. */
export const countIn = ({
  assetCount,
  transactionCount,
}: Pick<LatestBlock, "assetCount" | "transactionCount">): string =>
  terms.hasTokens ? countOf(assetCount, "asset") : countOf(transactionCount, "transaction");

/** The newest blocks, the tip first, and the assets that they name. */
export interface LatestBlocks {
  blocks: LatestBlock[];
  assets: Record<string, ShownAsset>;
}

/** Blocks in the chart, and of these in the list. */
export const LATEST = 60;
export const LISTED = 8;

/** In milliseconds. */
export const PERIODS = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;
export type Period = keyof typeof PERIODS;
export const isPeriod = (text: unknown): text is Period =>
  typeof text === "string" && Object.hasOwn(PERIODS, text);

/** Assets in each list of home. */
export const MOVED = 6;

export interface Moved {
  /** The blocks above this height up to the tip; -1: all that are indexed. */
  after: number;
  tip: { height: number; hash: string };
  /** All blocks of the period are indexed. */
  isWhole: boolean;
  rows: {
    asset: ShownAsset;
    volumeUsd: string;
    /** Of equal parts of the period, the oldest first. */
    points: string[];
    /** Of the period before; null if blocks of it are missing. */
    before: string | null;
  }[];
}

export interface NewestAsset {
  asset: ShownAsset;
  standard: string;
  /** Of the newest assets, the members of its collection; 1 if it is fungible. */
  members: number;
  holderCount: number;
  /** RFC 3339; `""` if no indexed block mints it. */
  firstMintAt: string;
  /** The id of an asset that it looks like; `""` if there is none. */
  resembles: string;
}

/** Visits that one request asks about, at most. */
export const VISITS = 6;

/** What happened to an address since a visit; `transactions` and the outputs of these are counted up to a limit. */
export interface SinceVisit {
  isReplaced: boolean;
  transactions: number;
  isMore: boolean;
  created: number;
  spent: number;
}

/** How many outputs came and left: `+12 −3`. */
export const changedText = (created: number, spent: number): string =>
  [created > 0 && `+${formatCount(created)}`, spent > 0 && `−${formatCount(spent)}`]
    .filter(Boolean)
    .join(" ");
