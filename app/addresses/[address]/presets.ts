import type { Service } from "#lib/api/service.ts";
import { blockAtTime, unbrokenFrom } from "#lib/queries/chain.ts";
import type { BlockHeader } from "#lib/store/rows.ts";

const HOUR = 3_600_000;
const SPANS: [name: string, milliseconds: number][] = [
  ["1 h", HOUR],
  ["24 h", 24 * HOUR],
  ["7 d", 7 * 24 * HOUR],
];

export interface Preset {
  name: string;
  /** The block that the range begins after. */
  height: number;
  /** Heights from there to the end of the range. */
  length: number;
}

/** The default range of the changes: a day or, if no other begins there, the shortest longer one, else the longest. */
export const dayOf = (presets: readonly Preset[]): Preset | undefined =>
  presets.find(({ name }) => name !== SPANS[0]![0]) ?? presets[0];

/**
 * The blocks 1 hour, 24 hours and 7 days before another one, without those that are not indexed.
 * @param horizon changes up to this height are not kept; -1 if all are
 */
export async function presets(
  { store }: Service,
  to: BlockHeader | null,
  horizon: number,
): Promise<Preset[]> {
  if (!to) return [];
  const [unbroken, ...found] = await Promise.all([
    store.query(unbrokenFrom, to.height),
    ...SPANS.map(async ([name, span]) => ({
      name,
      block: await store.query(blockAtTime, to.timestamp - span),
    })),
  ]);
  const all = found.flatMap(({ name, block }) => {
    if (!block || block.height < Math.max(unbroken, horizon)) return [];
    const height = Math.min(block.height, to.height);
    return [{ name, height, length: to.height - height }];
  });
  // After a pause of the chain, several begin with the same block. The longest stands for all.
  return all.filter(({ height }, at) => height !== all[at + 1]?.height);
}
