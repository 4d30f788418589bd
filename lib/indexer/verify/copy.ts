import type { Block, Output } from "#lib/contract/ledger.ts";
import { blockHashAt, blockHeights, chainIdentity, chainTip, storedHorizon } from "#lib/queries/chain.ts";
import { adoptOperatorData, operatorData } from "#lib/queries/operator-data.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import { mentionedTokens, type StoredBlock, storedAddresses, storedBlock } from "#lib/queries/stored.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import type { ChainIdentity, Price, ResolvedBlock, ResolvedTransaction } from "#lib/store/rows.ts";
import { adoptHorizon } from "#lib/store/rules/horizon.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Writer } from "#lib/store/rules/writer.ts";
import type { Store } from "#lib/store/store.ts";
import { countOutputs, OUTPUTS_AHEAD } from "../block-queue.ts";
import { resolveBlocks, toBlock } from "../resolve.ts";

/** Blocks, prices and addresses that are copied in one transaction. Blocks with many outputs are fewer. */
const BLOCKS = 200;
const PRICES = 10_000;
const ADDRESSES = 10_000;

/**
 * Copies blocks, operator data and prices to an empty database, or continues an earlier copy. Access tokens made on the
 * target stay. Returns the number of blocks copied.
 * @param onProgress called after each batch, with the number of blocks in the target and the height of the last one
 */
export async function copyStore(
  from: Store,
  to: Store,
  onProgress: (done: number, height: number) => void = () => {},
): Promise<number> {
  const identity = await from.query(chainIdentity);
  if (identity) await to.write(identify, identity);
  else if (await to.query(chainIdentity)) {
    throw new ChainConflictError(
      "The first database holds no chain, the second does: it is no copy of the first",
    );
  }
  const tip = await to.query(chainTip);
  if (tip && (await from.query(blockHashAt, tip.height)) !== tip.hash) {
    throw new ChainConflictError(
      `The second database ends with block ${tip.height} (${tip.hash}), which the first does not have: revert that block in the second, or copy into an empty one`,
    );
  }
  const horizon = await from.query(storedHorizon);
  if (identity && horizon >= 0) await adoptMentions(from, to, horizon, identity);
  const copyOthers = async () => {
    await adoptOperatorData(to, await from.query(operatorData));
    await copyPrices(from, to);
  };
  // Prices before the blocks of a new copy, whose values then need not be written again. A database that has blocks may be no
  // copy: that is checked before its own data are replaced.
  const isNew = tip === null;
  if (isNew) await copyOthers();
  const ownHorizon = await to.query(storedHorizon);
  let copied = 0;
  let done = 0;
  for (let after = -1; ; ) {
    const wanted = await from.query(blockHeights, { after, limit: BLOCKS });
    if (wanted.length === 0) break;
    const present = await Promise.all(wanted.map((height) => to.query(blockHashAt, height)));
    for (let next = 0; next < wanted.length; ) {
      const blocks: Block[] = [];
      const remnants: ResolvedBlock[] = [];
      const spent = new Map<string, Output>();
      for (let outputs = 0; next < wanted.length && outputs + spent.size < OUTPUTS_AHEAD; next++) {
        const height = wanted[next]!;
        if (present[next] !== null && present[next] === (await from.query(blockHashAt, height))) continue;
        const stored = await from.query(storedBlock, height);
        outputs += countOutputs([stored]);
        if (height > horizon) blocks.push(toBlock(stored, spent));
        else if (ownHorizon === horizon) remnants.push(toRemnant(stored));
        else {
          throw new ChainConflictError(
            `The first database keeps no outputs that were spent up to block ${horizon}, and the second has no block ${height}: copy into an empty one`,
          );
        }
      }
      if ((await from.query(storedHorizon)) !== horizon) {
        throw new ChainConflictError(
          "Outputs are removed during the copy: stop the sync of the first database",
        );
      }
      copied += await to.write(applyBlocks, remnants, { extendTip: false, isRemnant: true });
      const resolved = await resolveBlocks(blocks, to, identity!.native.id, async () => spent);
      copied += await to.write(applyBlocks, resolved, { extendTip: false });
      after = wanted[next - 1]!;
      onProgress(done + next, after);
    }
    done += wanted.length;
  }
  if (!isNew) await copyOthers();
  return copied;
}

async function copyPrices(from: Store, to: Store): Promise<void> {
  for (let after: Price | null = null; ; ) {
    const prices: Price[] = await from.query(pricesAfter, { price: after, limit: PRICES });
    if (prices.length === 0) return;
    await to.write(loadPrices, prices);
    after = prices.at(-1)!;
  }
}

/** Copies the horizon to an empty database, and the tokens and addresses that removed outputs up to it mentioned. */
async function adoptMentions(
  from: Store,
  to: Store,
  horizon: number,
  { native }: ChainIdentity,
): Promise<void> {
  // An interrupted copy may have the horizon, but no blocks yet.
  const own = await to.query(storedHorizon);
  if (own !== horizon) {
    if ((await to.query(chainTip)) !== null) return;
    if (own >= 0) {
      throw new ChainConflictError(
        `The second database holds the beginning of a copy that was made when outputs spent up to block ${own} were removed, and now those up to block ${horizon} are: copy into an empty one`,
      );
    }
    const tokens = await from.query(mentionedTokens, horizon);
    await to.write(adoptHorizon, horizon, tokens, native);
  }
  for (let after = "0x"; ; ) {
    const addresses = await from.query(storedAddresses, { after, limit: ADDRESSES });
    if (addresses.length === 0) return;
    const early = addresses.filter(({ firstHeight }) => firstHeight <= horizon);
    await to.write(addAddresses, new Map(early.map((address) => [address.key, address])));
    after = addresses.at(-1)!.key;
  }
}

function* addAddresses(tables: Writer, addresses: Parameters<Writer["addAddresses"]>[0]): Steps<void> {
  if (addresses.size > 0) yield* tables.addAddresses(addresses);
}

/** Restores what the horizon has left of a block. */
function toRemnant({ transactions: left, changes, transactionCount, ...block }: StoredBlock): ResolvedBlock {
  const transactions = new Array<ResolvedTransaction>(transactionCount);
  for (const { index, hash, outputs: stored, claims } of left) {
    const outputs: Output[] = [];
    for (const { index, output } of stored) outputs[index] = output;
    transactions[index] = { hash, inputs: [], outputs, claims, minted: [] };
  }
  const moved = changes.map(({ assetId, amount, transactions }) => ({ assetId, amount, transactions }));
  return { ...block, transactions, changes: moved };
}
