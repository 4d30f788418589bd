/** Data of the home page, from `GET /latest-blocks`, `/moved` and `/visits`. */

import { terms } from "#terms";
import type { Flag, ListedNames } from "./chain-text.ts";
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
  volumeUsd: string;
  /** Assets with the highest volumes. Blocks outside the list have only the first. */
  largest: { id: string; volumeUsd: string }[];
}

/** Counts a block's assets, or its transactions on a chain with one asset. */
export const countIn = ({
  assetCount,
  transactionCount,
}: Pick<LatestBlock, "assetCount" | "transactionCount">): string =>
  terms.hasTokens ? countOf(assetCount, "asset") : countOf(transactionCount, "transaction");

export interface LatestBlocks {
  /** The newest blocks, the tip first. */
  blocks: LatestBlock[];
  assets: Record<string, ShownAsset>;
}

/** Number of blocks in the chart. */
export const LATEST = 60;
/** Number of blocks in the list. */
export const LISTED = 8;

/** Lengths in milliseconds. */
export const PERIODS = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;
export type Period = keyof typeof PERIODS;
export const isPeriod = (text: unknown): text is Period =>
  typeof text === "string" && Object.hasOwn(PERIODS, text);

/** Number of assets in each list of the home page. */
export const MOVED = 6;

export interface Moved {
  /** Height of the last block before the period; -1 if the period contains all indexed blocks. */
  after: number;
  tip: { height: number; hash: string };
  /** All blocks of the period are indexed. */
  isWhole: boolean;
  rows: {
    asset: ShownAsset;
    volumeUsd: string;
    /** Volumes of equal parts of the period, the oldest first. */
    points: string[];
    /** Volume of the previous period; null if some of its blocks are missing. */
    before: string | null;
  }[];
}

export interface NewestAsset {
  asset: ShownAsset;
  standard: string;
  /** Number of the newest assets in the same collection; 1 if the asset is fungible. */
  members: number;
  holderCount: number;
  /** RFC 3339; `""` if no indexed block mints the asset. */
  firstMintAt: string;
  flags: readonly Flag[];
}

/** Maximum number of visits in one request. */
export const VISITS = 6;

/** Changes of an address since a visit. `isMore`: some transactions were not counted. */
export interface SinceVisit {
  isReplaced: boolean;
  transactions: number;
  isMore: boolean;
  created: number;
  spent: number;
  /** On request: what it holds now, in units of 10^-8 US dollars; null if nothing has a price. */
  valueUsd?: string | null;
}

/** Counts of created and spent outputs: `+12 −3`. */
export const changedText = (created: number, spent: number): string =>
  [created > 0 && `+${formatCount(created)}`, spent > 0 && `−${formatCount(spent)}`]
    .filter(Boolean)
    .join(" ");
