/** Writes blocks and the registry: each change of the tables in its order. */
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { horizon, identity as storedIdentity, tip as storedTip } from "#lib/store/common-queries.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import {
  addTransactions,
  lowestTransactionId,
  moveTransactions,
  OUTPUTS_OF,
  outputsOf,
  transactionIds,
} from "#lib/store/outputs.ts";
import { insertInto, table } from "#lib/store/row-statement.ts";
import {
  type ApplyOptions,
  type AssetIcon,
  type ChainIdentity,
  NATIVE_STANDARD,
  NATIVE_TOKEN_ID,
  type ResolvedBlock,
  type ResolvedInput,
} from "#lib/store/rows.ts";
import { all, type Bytes, first, run, statement, statementWith, toHex } from "#lib/store/statement.ts";
import { Batch, hasMoved } from "./batch.ts";
import { noteSetback } from "./block-times.ts";
import { fillGaps } from "./gaps.ts";
import { DELETE_LIVE, INSERT_LIVE } from "./live.ts";
import { addClaims, refreshNames, refreshWithMembers } from "./names.ts";
import type { OutputPlace, PlacedOutput } from "./rows.ts";
import { saveRuns } from "./runs.ts";
import type { Steps } from "./steps.ts";
import { saveSums } from "./sums.ts";
import { ADD_TO_TOUCHES } from "./touches.ts";
import { addChanges } from "./values.ts";
import type { Writer } from "./writer.ts";

const INSERT_IDENTITY = statementWith(["identity"])(
  "INSERT INTO state (key, value) VALUES ('identity', $identity)",
);
const HIGHEST_TOKEN = statement("SELECT max(id) AS id FROM tokens");
export const INSERT_TOKENS = insertInto(
  table(
    "tokens",
    { number: ["integer", "id"] },
    {
      id: ["text", "asset_id"],
      standard: "text",
      fungible: "boolean",
      contentType: "text",
      parentId: ["text", "chain_parent_id"],
      supply: "amount",
    },
  ),
);

const BLOCKS_AT = statementWith(["heights"])(
  (sql) => `SELECT height, hash, parent_hash FROM blocks WHERE ${sql.isIn("height", "$heights", "bigint")}`,
);
const INSERT_BLOCKS = insertInto(
  table(
    "blocks",
    { height: "bigint" },
    {
      hash: "bytes",
      parentHash: "bytes",
      timestamp: "bigint",
      headerFacts: "bytes",
      transactionCount: "integer",
      changeCount: "integer",
    },
  ),
);

const DELETE_ABANDONED = ["abandoned_blocks", "abandoned_touches"].map((table) =>
  statementWith(["hashes"])((sql) => `DELETE FROM ${table} WHERE ${sql.isIn("hash", "$hashes", "bytea")}`),
);
const LISTED = statement("SELECT asset_id FROM registry UNION SELECT asset_id FROM icons");
const CLEAR_REGISTRY = statement("DELETE FROM registry");
const CLEAR_ICONS = statementWith(["kept"])(
  (sql) => `DELETE FROM icons WHERE NOT (${sql.isIn("asset_id", "$kept", "text")})`,
);
const INSERT_REGISTRY = insertInto(table("registry", { assetId: "text" }, { entry: "text" }));
const INSERT_ICONS = insertInto(table("icons", { assetId: "text" }, { picture: "bytes", etag: "text" }));

/** Fixes the chain on the first call. Throws ChainConflictError if the tables hold another chain. */
export function* identify(tables: Writer, identity: ChainIdentity): Steps<void> {
  const stored = yield* storedIdentity(tables.db);
  if (!stored) {
    yield* run(tables.db, INSERT_IDENTITY({ identity: JSON.stringify(identity) }));
    const facts = { standard: NATIVE_STANDARD, fungible: true, contentType: "", parentId: "" };
    yield* tables.save(INSERT_TOKENS, [
      { id: identity.native.id, ...facts, number: NATIVE_TOKEN_ID, supply: 0n },
    ]);
    yield* refreshNames(tables, [identity.native.id], identity.native);
    return;
  }
  const isOther = stored.native.id !== identity.native.id;
  if (!isOther && stored.network === identity.network && stored.demo === identity.demo) return;
  const name = ({ demo, network, native }: ChainIdentity) =>
    `${demo ? "the demo chain" : network}${isOther ? ` of ${native.name}` : ""}`;
  throw new ChainConflictError(
    `This database holds ${name(stored)}; ${name(identity)} cannot be mixed into it`,
  );
}

/**
 * Stores the blocks, and returns how many were new. The number of statements does not depend on the number of blocks: it loads all
 * related rows, fits the blocks together in memory, and saves table by table. Throws ChainConflictError if a block contradicts a
 * neighbour, takes an occupied height or spends a spent output; with `extendTip`, also if it does not follow the tip.
 */
export function* applyBlocks(tables: Writer, blocks: ResolvedBlock[], options: ApplyOptions): Steps<number> {
  if (options.chain) yield* identify(tables, options.chain);
  const identity = yield* storedIdentity(tables.db);
  if (!identity) throw new Error("The database has no chain yet: call identify first");
  if (blocks.length === 0) return 0;
  const { native } = identity;
  const tip = yield* storedTip(tables.db);
  const batch = new Batch({ nativeId: native.id, tip: options.extendTip ? tip : undefined });
  yield* loadNeighbours(tables, batch, blocks);
  yield* loadTransactions(tables, batch, blocks);
  for (const block of blocks) batch.add(block);
  if (batch.blocks.length === 0) return 0;
  if (!options.isRemnant) yield* refuseUpToHorizon(tables, batch.blocks);

  const heights = batch.blocks.map((block) => block.height);
  yield* fillGaps(tables, heights, tip?.height ?? -1);
  yield* noteSetback(tables, batch.blocks);
  yield* addBlocks(tables, batch.blocks);
  const added = yield* addTokens(tables, batch);
  yield* tables.addAddresses(batch.addresses);
  const named = yield* addClaims(tables, batch.claims);
  const transactions = [...batch.transactions.values()];
  const fresh = transactions.filter(({ storedId }) => storedId === undefined);
  yield* addTransactions(tables, fresh);
  yield* moveTransactions(tables, transactions.filter(hasMoved));
  const placed = [...batch.addedOutputs()];
  const spent = [...batch.spentOutputs()];
  yield* tables.addOutputs(placed);
  yield* tables.spendOutputs(spent);
  yield* tables.save(DELETE_LIVE, spent);
  const live = placed.filter(({ spentBy }) => spentBy === null);
  yield* tables.save(INSERT_LIVE, byAddress(live));
  const touches = batch.touches.rows();
  yield* tables.save(ADD_TO_TOUCHES, touches);
  yield* saveRuns(tables, touches);
  yield* saveSums(tables, batch.sums);
  // Names come before changes: the value of a change depends on its asset's decimals.
  yield* refreshWithMembers(tables, named, added, native);
  yield* addChanges(tables, batch.blocks);
  return batch.blocks.length;
}

/** Groups outputs by address, as their tables are ordered, so that a batch changes each page once. */
const byAddress = (outputs: PlacedOutput[]): PlacedOutput[] =>
  [...Map.groupBy(outputs, ({ addressKey }) => addressKey).values()].flat();

function* refuseUpToHorizon({ db }: Writer, blocks: ResolvedBlock[]): Steps<void> {
  const removedUpTo = yield* horizon(db);
  const early = blocks.find(({ height }) => height <= removedUpTo);
  if (!early) return;
  throw new ChainConflictError(
    `Block ${early.height} cannot be stored: outputs spent up to block ${removedUpTo} are not kept`,
  );
}

function* loadNeighbours(tables: Writer, batch: Batch, blocks: ResolvedBlock[]): Steps<void> {
  const heights = new Set(blocks.flatMap(({ height }) => [height - 1, height, height + 1]));
  const rows = yield* all<{ height: number; hash: Bytes; parent_hash: Bytes }>(
    tables.db,
    BLOCKS_AT({ heights: JSON.stringify([...heights]) }),
  );
  for (const row of rows) batch.loadBlock(row.height, toHex(row.hash), toHex(row.parent_hash));
}

/** Stores the blocks, and removes them from the abandoned ones. */
function* addBlocks(tables: Writer, blocks: ResolvedBlock[]): Steps<void> {
  yield* tables.save(
    INSERT_BLOCKS,
    blocks.map((block) => ({
      ...block,
      transactionCount: block.transactions.length,
      changeCount: block.changes.length,
    })),
  );
  const hashes = JSON.stringify(blocks.map((block) => block.hash));
  for (const query of DELETE_ABANDONED) yield* run(tables.db, query({ hashes }));
}

/** Stores the batch's new assets, numbered in order, and returns their ids. */
function* addTokens(tables: Writer, { sums, references }: Batch): Steps<string[]> {
  const assetIds = sums.assetIds();
  const stored = yield* tables.tokenIds(assetIds);
  const added = assetIds.filter((id) => !stored.has(id));
  if (added.length === 0) return added;
  const highest = (yield* first<{ id: number }>(tables.db, HIGHEST_TOKEN))!.id;
  const tokens = added.map((id, i) => ({ ...references.get(id)!, number: highest + 1 + i, supply: 0n }));
  yield* tables.save(INSERT_TOKENS, tokens);
  return added;
}

/**
 * Loads the transactions whose outputs the blocks spend, and these outputs. The blocks' own transactions are stored already if a
 * block that spends from them was stored first. Most databases have no such transactions, and skip these look-ups.
 */
function* loadTransactions(tables: Writer, batch: Batch, blocks: ResolvedBlock[]): Steps<void> {
  const own = new Set<string>();
  const creators = new Set<string>();
  const inputs: ResolvedInput[] = [];
  for (const block of blocks) {
    if (batch.holds(block)) continue;
    block.transactions.forEach((transaction) => {
      own.add(transaction.hash);
      for (const input of transaction.inputs) {
        inputs.push(input);
        if (input.transactionId === undefined) creators.add(input.outPoint.transactionHash);
        else batch.loadTransaction(input.outPoint.transactionHash, input.transactionId);
      }
    });
  }
  batch.lowestId = yield* lowestTransactionId(tables.db);
  const sought = batch.lowestId < 0 ? own.union(creators) : creators.difference(own);
  if (sought.size > 0) {
    for (const [hash, id] of yield* transactionIds(tables.db, [...sought])) batch.loadTransaction(hash, id);
  }

  const places: OutputPlace[] = [];
  for (const { outPoint } of inputs) {
    const { transactionHash, outputIndex } = outPoint;
    const creator = batch.transactions.get(transactionHash);
    if (creator && !own.has(transactionHash)) {
      places.push({ transactionHash, outputIndex, transactionId: creator.id });
    }
  }
  for (const row of yield* tables.outputs(places)) batch.loadOutput(row);
  if (batch.lowestId >= 0) return;
  // Such a transaction moves to its place with all of its outputs.
  const whole = [...own].flatMap((hash) => batch.transactions.get(hash)?.id ?? []);
  const outputs = OUTPUTS_OF({ ids: JSON.stringify(whole) });
  for (const row of yield* outputsOf(tables.db, outputs)) batch.loadOutput(row);
}

/**
 * Replaces the registry and the pictures of its icons, except those of the assets in `kept`. Updates the names and values that
 * depend on them.
 */
export function* replaceRegistry(
  tables: Writer,
  entries: RegistryEntry[],
  icons: AssetIcon[] = [],
  kept: string[] = [],
): Steps<void> {
  const listed = yield* all<{ asset_id: string }>(tables.db, LISTED);
  const touched = new Set(listed.map((row) => row.asset_id));
  for (const { id } of entries) touched.add(id);
  for (const { assetId } of icons) touched.add(assetId);
  yield* run(tables.db, CLEAR_REGISTRY);
  const rows = entries.map((entry) => ({ assetId: entry.id, entry: JSON.stringify(entry) }));
  yield* tables.save(INSERT_REGISTRY, rows);
  yield* run(tables.db, CLEAR_ICONS({ kept: JSON.stringify(kept) }));
  const pictures = icons.map((icon) => ({ ...icon, picture: toHex(icon.picture) }));
  yield* tables.save(INSERT_ICONS, pictures);
  const identity = yield* storedIdentity(tables.db);
  if (identity) yield* refreshNames(tables, touched, identity.native);
}
