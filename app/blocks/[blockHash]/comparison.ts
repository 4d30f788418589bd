import type { AssetChangeRow } from "#lib/queries/change-rows.ts";

/** Stands for the previous block in a link. */
export const PARENT = "parent";

/** The movement of an asset in a block: in its smallest unit, and in units of 10^-8 US dollars. */
export type Moved = Pick<AssetChangeRow, "amount" | "amountUsd">;
type Change = Moved & Pick<AssetChangeRow, "asset">;

export interface ComparedAsset {
  asset: AssetChangeRow["asset"];
  /** The movement in the other block, and in the page's; null if that does not move the asset. */
  there: Moved | null;
  here: Moved | null;
}

/** `added` and `gone`: moved here only, and in the other block only. `changed`: moved in both, but not as much. */
export const KINDS = ["added", "gone", "changed"] as const;
export type ComparedKind = (typeof KINDS)[number];

/** Compares two blocks. Lists at most `limit` assets of each kind, the largest difference in value first. */
export function compareChanges(there: readonly Change[], here: readonly Change[], limit: number) {
  const others = new Map(there.map((change) => [change.asset.id, change]));
  const groups: Record<ComparedKind, ComparedAsset[]> = { added: [], gone: [], changed: [] };
  let unchanged = 0;
  for (const change of here) {
    const other = others.get(change.asset.id);
    others.delete(change.asset.id);
    if (!other) groups.added.push({ asset: change.asset, there: null, here: movedIn(change) });
    else if (other.amount === change.amount && other.amountUsd === change.amountUsd) unchanged += 1;
    else groups.changed.push({ asset: change.asset, there: movedIn(other), here: movedIn(change) });
  }
  for (const other of others.values()) {
    groups.gone.push({ asset: other.asset, there: movedIn(other), here: null });
  }
  const largest = (rows: ComparedAsset[]) => ({
    total: rows.length,
    rows: rows
      .sort((one, other) => Number(abs(differenceUsd(other)) - abs(differenceUsd(one))))
      .slice(0, limit),
  });
  const { added, gone, changed } = groups;
  return {
    groups: { added: largest(added), gone: largest(gone), changed: largest(changed) },
    unchanged,
  };
}

/** Negative if less is moved here than there. */
export function difference({ there, here }: ComparedAsset): bigint {
  return BigInt(here?.amount ?? 0) - BigInt(there?.amount ?? 0);
}

/** The difference in units of 10^-8 US dollars. */
export function differenceUsd({ there, here }: ComparedAsset): bigint {
  return BigInt(here?.amountUsd ?? 0) - BigInt(there?.amountUsd ?? 0);
}

const movedIn = ({ amount, amountUsd }: Change): Moved => ({ amount, amountUsd });
const abs = (value: bigint) => (value < 0n ? -value : value);
