import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import type { ShownAsset } from "#lib/client/home.ts";
import { SINGLE_DAY, timeIn } from "#lib/contract/block-text.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import { type AddressFlows, addressFlows } from "#lib/queries/address-flows.ts";
import { abandonedBlock, blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import { forkOf } from "#lib/queries/chain-progress.ts";
import { orNotKept } from "#lib/queries/named-block.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { blockNamed, replacedHeight } from "./block-named.ts";

const NOT_INDEXED = "The range ends with a block that is not indexed.";
const NO_BLOCK = "Enter a block number, a block hash or a date.";
const ENDS_EARLY = "The range ends before it begins.";
const ALL_LATER = "All indexed blocks are later.";
const NONE_LATER = "No indexed block is later.";
const NONE_BETWEEN = "No indexed block is between these two.";
const LISTED = 200;

export interface AddressChanges extends Omit<AddressFlows, "tip" | "last" | "flows"> {
  since: {
    height: number;
    /** Null if it is not indexed. */
    block: BlockHeader | null;
    /** The block of the link, if a reorganisation replaced it. `height` is then that of the fork. */
    replaced: { height: number; hash: string } | null;
  };
  /** The last block of the range; null if nothing is indexed. */
  upTo: { height: number; hash: string } | null;
  rows: ChangedToken[];
}

export interface ChangedToken extends Omit<AddressFlows["flows"][number], "token"> {
  token: ShownAsset & { standard: string };
}

/** A sentence that explains why there is nothing to show. */
export interface NoChanges {
  fault: string;
}

/**
 * @param named number, hash or time of the block that the range begins after
 * @param to number, hash or time of its last block, or `""` for the tip
 */
export async function readChanges(
  addressKey: string | readonly string[],
  named: string,
  to: string,
): Promise<AddressChanges | NoChanges> {
  const { store } = await getService();
  const since = await sinceOf(store, named);
  if (!since) return { fault: ALL_LATER };
  if ("fault" in since) return since;
  const { height } = since;
  const last = to === "" ? null : await lastOf(store, to);
  if (last && "fault" in last) return last;
  const query = { addressKey, since: height, upTo: last?.height, limit: LISTED };
  const found = await orNotKept(store.query(addressFlows, query));
  if ("fault" in found) return found;
  const { tip, last: upTo, flows, ...sums } = found;
  if (tip && height > tip.height) return notYet(height, tip);
  if (tip && !upTo) return { fault: NOT_INDEXED };
  const order = upTo && orderFault(named, to, since, upTo);
  if (order) return order;
  const rows = flows.map(({ token, ...moved }) => ({
    token: { ...shownAsset(token), standard: token.standard },
    ...moved,
  }));
  const hash = await store.query(blockHashAt, height);
  const block = hash === null ? null : await store.query(blockHeader, hash);
  return { since: { ...since, block }, upTo, ...sums, rows };
}

/**
 * Why a statement cannot have this range, or where it begins instead; null if it can. If `named` was replaced, it begins after the
 * fork, and `forked` is that block's hash. It begins with the first block (`""`) if all blocks are later, and with the first
 * that is kept if earlier ones are not. `named` and `to` are as in `readChanges`; `named` is `""` for all blocks.
 * @param horizon changes up to this height are not kept; -1 if all are
 */
export async function faultOfRange(
  named: string,
  to: string,
  tip: { height: number },
  horizon: number,
): Promise<NoChanges | { since: string; forked?: string } | null> {
  const { store } = await getService();
  const last = to === "" ? tip : await lastOf(store, to);
  if ("fault" in last) return last;
  if (named === "") return horizon < 0 ? null : { since: String(keptAfter(horizon, last)) };
  const since = await sinceOf(store, named);
  if (!since) return { since: "" };
  if ("fault" in since) return since;
  if (since.replaced) return { since: String(since.height), forked: since.replaced.hash };
  if (since.height > tip.height) return notYet(since.height, tip);
  if (since.height < horizon) {
    return {
      fault: `The statement begins too early: changes up to block ${formatCount(horizon)} are not kept.`,
    };
  }
  return orderFault(named, to, since, last);
}

/** Part of the kept blocks that a range of all of them leaves out: the horizon rises while it is read. */
const MARGIN = 0.05;
/** The height of the block that such a range begins after. `last`: the block that it ends with. */
export const keptAfter = (horizon: number, last: { height: number }): number =>
  Math.min(last.height, horizon + Math.ceil((last.height - horizon) * MARGIN));

async function lastOf(store: Store, to: string): Promise<BlockHeader | NoChanges> {
  const block = await blockNamed(store, to);
  if (block) return block;
  const replaced = await replacedHeight(store, to);
  if (replaced !== null) {
    return { fault: `The range ends with block ${formatCount(replaced)}, which a reorganisation replaced.` };
  }
  if (timeIn(to) !== undefined) return { fault: ALL_LATER };
  return { fault: detect(to).kind.startsWith("block-") ? NOT_INDEXED : NO_BLOCK };
}

function orderFault(
  named: string,
  to: string,
  since: { height: number },
  last: { height: number },
): NoChanges | null {
  if (since.height > last.height) return { fault: ENDS_EARLY };
  if (since.height < last.height || timeIn(named) === undefined) return null;
  if (to === "") return { fault: NONE_LATER };
  return { fault: to === named ? SINGLE_DAY : NONE_BETWEEN };
}

const notYet = (height: number, tip: { height: number }): NoChanges => ({
  fault: `Block ${formatCount(height)} is not indexed yet: the newest is ${formatCount(tip.height)}.`,
});

/** Null if all blocks are later. */
async function sinceOf(
  store: Store,
  named: string,
): Promise<Omit<AddressChanges["since"], "block"> | NoChanges | null> {
  if (timeIn(named) !== undefined) {
    const block = await blockNamed(store, named);
    return block && !("fault" in block) ? { height: block.height, replaced: null } : block;
  }
  const detected = detect(named);
  if (detected.kind === "block-number") return { height: detected.height, replaced: null };
  if (detected.kind !== "block-hash") return { fault: NO_BLOCK };
  const { hash } = detected;
  const block = await store.query(blockHeader, hash);
  if (block) return { height: block.height, replaced: null };
  const replaced = await store.query(abandonedBlock, hash);
  if (!replaced) return { fault: "No block with this hash is indexed." };
  const fork = await store.query(forkOf, replaced);
  if (fork === null) return { fault: "A reorganisation replaced this block, and its fork is unknown." };
  return { height: fork, replaced: { height: replaced.height, hash } };
}
