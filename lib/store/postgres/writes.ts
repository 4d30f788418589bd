import { valueInUsd } from "#lib/contract/amounts.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { priceInForce } from "#lib/store/price-in-force.ts";
import { foldCase, shownToken } from "#lib/store/rules/names.ts";
import {
  type AssetIcon,
  ChainConflictError,
  type ChainIdentity,
  type Price,
  type ResolvedBlock,
  type StoredOutput,
} from "#lib/store/store.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { Batch, type OutputRecord, Sums, type TransactionRecord } from "./batch.ts";
import type { Session } from "./connection.ts";
import { statement } from "./connection.ts";
import { byteaArray, numberArray } from "./encoding.ts";
import { OUTPUT_COLUMNS, type OutputRow, toOutputs } from "./outputs.ts";
import { readIdentity, readTip } from "./reads.ts";

const INSERT_IDENTITY = statement(
  "insert-identity",
  "INSERT INTO state (key, value) VALUES ('identity', $1)",
);
const INSERT_NATIVE = statement(
  "insert-native",
  `INSERT INTO tokens (id, asset_id, standard, fungible, content_type, chain_parent_id)
   VALUES (1, $1, 'native', true, '', '')`,
);

export async function identify(session: Session, identity: ChainIdentity): Promise<void> {
  const stored = await readIdentity(session);
  if (!stored) {
    await session.run(INSERT_IDENTITY, JSON.stringify(identity));
    await session.run(INSERT_NATIVE, identity.native.id);
    await refreshTokens(session, [identity.native.id]);
    return;
  }
  if (stored.network !== identity.network || stored.demo !== identity.demo) {
    const name = (chain: ChainIdentity) => (chain.demo ? "the demo chain" : chain.network);
    throw new ChainConflictError(
      `This database holds ${name(stored)}; ${name(identity)} cannot be mixed into it`,
    );
  }
}

const TRANSACTIONS = statement(
  "transactions-by-hash",
  "SELECT hash, id FROM transactions WHERE hash = ANY ($1::bytea[])",
);
const OUTPUTS = statement(
  "outputs-by-place",
  `SELECT ${OUTPUT_COLUMNS}
   FROM unnest($1::bigint[], $2::bigint[]) AS wanted (transaction_id, output_index)
   JOIN outputs o ON o.transaction_id = wanted.transaction_id AND o.output_index = wanted.output_index`,
);
const OUTPUTS_OF = statement(
  "outputs-of-transactions",
  `SELECT ${OUTPUT_COLUMNS} FROM outputs o WHERE o.transaction_id = ANY ($1::bigint[])`,
);

async function transactionIds(session: Session, hashes: string[]): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const rows = await session.all<{ hash: string; id: number }>(TRANSACTIONS, byteaArray(hashes));
  return new Map(rows.map((row) => [row.hash, row.id]));
}

export async function outputsAt(
  session: Session,
  outPoints: OutPoint[],
): Promise<(StoredOutput | undefined)[]> {
  if (outPoints.length === 0) return [];
  const ids = await transactionIds(session, [...new Set(outPoints.map((point) => point.transactionHash))]);
  const places = outPoints.flatMap(({ transactionHash, outputIndex }) => {
    const id = ids.get(transactionHash);
    return id === undefined ? [] : [{ id, outputIndex }];
  });
  if (places.length === 0) return outPoints.map(() => undefined);
  const rows = await session.all<OutputRow>(
    OUTPUTS,
    numberArray(places.map((place) => place.id)),
    numberArray(places.map((place) => place.outputIndex)),
  );
  const outputs = await toOutputs(session, rows);
  const byPlace = new Map(
    rows.map((row, i) => [
      `${row.transaction_id}:${row.output_index}`,
      { transactionId: row.transaction_id, ...outputs[i]! },
    ]),
  );
  return outPoints.map(({ transactionHash, outputIndex }) =>
    byPlace.get(`${ids.get(transactionHash)}:${outputIndex}`),
  );
}

const NEIGHBOURS = statement(
  "neighbours",
  "SELECT height, hash, parent_hash FROM blocks WHERE height = ANY ($1::bigint[])",
);
const LOWEST_ID = statement("lowest-transaction", "SELECT min(id) AS id FROM transactions");
const TOKENS = statement(
  "tokens-of-assets",
  "SELECT id, asset_id FROM tokens WHERE asset_id = ANY ($1::text[])",
);
const HIGHEST_TOKEN = statement("highest-token", "SELECT max(id) AS id FROM tokens");

/**
 * Stores the blocks: what they meet in the database is read first, then they are fitted together in memory one after
 * another, and what has become of them is written table by table, so that the number of round trips does not depend
 * on the number of blocks. The caller holds the write lock, so nothing changes in between.
 */
export async function applyBlocks(
  session: Session,
  blocks: ResolvedBlock[],
  extendTip: boolean,
): Promise<number> {
  const identity = await readIdentity(session);
  if (!identity) throw new Error("The database has no chain yet: call identify first");
  if (blocks.length === 0) return 0;
  const batch = new Batch({
    nativeId: identity.native.id,
    tip: extendTip ? await readTip(session) : undefined,
  });
  await loadNeighbours(session, batch, blocks);
  await loadTransactions(session, batch, blocks);
  for (const block of blocks) batch.add(block);
  if (batch.blocks.length === 0) return 0;
  const tokenIds = await numberTokens(session, batch);
  await writeChain(session, batch);
  await writeOutputs(session, batch, tokenIds);
  await writeSums(session, batch.sums, tokenIds);
  // Names and decimals first: the value of a change depends on its asset's decimals.
  await refreshTokens(session, [...batch.touched]);
  await writeChanges(session, batch, tokenIds);
  return batch.blocks.length;
}

async function loadNeighbours(session: Session, batch: Batch, blocks: ResolvedBlock[]): Promise<void> {
  const heights = new Set(blocks.flatMap(({ height }) => [height - 1, height, height + 1]));
  const rows = await session.all<{ height: number; hash: string; parent_hash: string }>(
    NEIGHBOURS,
    numberArray([...heights]),
  );
  for (const row of rows) batch.knowBlock(row.height, row.hash, row.parent_hash);
}

/** What is stored of the blocks' own transactions, and of those whose outputs they spend. */
async function loadTransactions(session: Session, batch: Batch, blocks: ResolvedBlock[]): Promise<void> {
  const own = new Set<string>();
  const wanted = new Set<string>();
  const spent = new Map<string, Set<number>>();
  for (const { transactions } of blocks) {
    for (const transaction of transactions) {
      own.add(transaction.hash);
      wanted.add(transaction.hash);
      for (const { outPoint, transactionId } of transaction.inputs) {
        const { transactionHash, outputIndex } = outPoint;
        if (transactionId === undefined) wanted.add(transactionHash);
        else batch.knowTransaction(transactionHash, transactionId);
        const indexes = spent.get(transactionHash);
        if (indexes) indexes.add(outputIndex);
        else spent.set(transactionHash, new Set([outputIndex]));
      }
    }
  }
  for (const [hash, id] of await transactionIds(session, [...wanted])) batch.knowTransaction(hash, id);
  batch.lowestId = (await session.get<{ id: number | null }>(LOWEST_ID))!.id ?? 0;

  const whole: TransactionRecord[] = [];
  const ids: number[] = [];
  const indexes: number[] = [];
  for (const transaction of batch.transactions.values()) {
    // One of our own that is known already was spent from before it came, and moves to its place with all of it.
    if (own.has(transaction.hash)) whole.push(transaction);
    else {
      for (const index of spent.get(transaction.hash) ?? []) {
        ids.push(transaction.id);
        indexes.push(index);
      }
    }
  }
  const tokens = new Map<number, string>();
  const rows: OutputRow[] = [];
  if (ids.length > 0)
    rows.push(...(await session.all<OutputRow>(OUTPUTS, numberArray(ids), numberArray(indexes))));
  if (whole.length > 0) {
    rows.push(...(await session.all<OutputRow>(OUTPUTS_OF, numberArray(whole.map(({ id }) => id)))));
  }
  if (rows.length === 0) return;
  const named = await session.all<{ id: number; asset_id: string }>(
    ASSETS,
    numberArray([...new Set(rows.map((row) => row.token_id))]),
  );
  for (const { id, asset_id } of named) tokens.set(id, asset_id);
  for (const row of rows) batch.knowOutput(row, tokens.get(row.token_id)!);
}

const ASSETS = statement(
  "assets-of-tokens",
  "SELECT id, asset_id FROM tokens WHERE id = ANY ($1::integer[])",
);

const INSERT_TOKENS = statement(
  "insert-tokens",
  `INSERT INTO tokens (id, asset_id, standard, fungible, content_type, chain_parent_id)
   SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[])`,
);

/** The number of each asset of the batch; new ones are numbered in order of first appearance. */
async function numberTokens(session: Session, batch: Batch): Promise<Map<string, number>> {
  const assets = [...batch.sums.tokens.keys()];
  const known = await session.all<{ id: number; asset_id: string }>(TOKENS, assets);
  const ids = new Map(known.map((row) => [row.asset_id, row.id]));
  const fresh = assets.filter((id) => !ids.has(id)).map((id) => batch.references.get(id)!);
  if (fresh.length === 0) return ids;
  const highest = (await session.get<{ id: number }>(HIGHEST_TOKEN))!.id;
  for (const [i, token] of fresh.entries()) {
    ids.set(token.id, highest + 1 + i);
    batch.touched.add(token.id);
  }
  await session.run(
    INSERT_TOKENS,
    numberArray(fresh.map((token) => ids.get(token.id)!)),
    fresh.map((token) => token.id),
    fresh.map((token) => token.standard),
    fresh.map((token) => token.fungible),
    fresh.map((token) => token.contentType),
    fresh.map((token) => token.parentId),
  );
  return ids;
}

const INSERT_BLOCKS = statement(
  "insert-blocks",
  `INSERT INTO blocks (height, hash, parent_hash, timestamp, transaction_count, change_count)
   SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::integer[], $6::integer[])`,
);
const DELETE_ABANDONED = statement(
  "delete-abandoned",
  "DELETE FROM abandoned_blocks WHERE hash = ANY ($1::bytea[])",
);
const INSERT_TRANSACTIONS = statement(
  "insert-transactions",
  "INSERT INTO transactions (id, hash) SELECT * FROM unnest($1::bigint[], $2::bytea[])",
);
const MOVE_TRANSACTIONS = statement(
  "move-transactions",
  `UPDATE transactions x SET id = moved.id
   FROM unnest($1::bigint[], $2::bytea[]) AS moved (id, hash) WHERE x.hash = moved.hash`,
);
const INSERT_ADDRESSES = statement(
  "insert-addresses",
  `INSERT INTO addresses AS a (key, text, first_height)
   SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[])
   ON CONFLICT (key) DO UPDATE SET first_height = excluded.first_height
     WHERE a.first_height > excluded.first_height`,
);
const INSERT_CLAIMS = statement(
  "insert-claims",
  `INSERT INTO claims (asset_id, transaction_id, output_index, name, symbol, decimals)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::integer[])`,
);

async function writeChain(session: Session, batch: Batch): Promise<void> {
  const { blocks, claims } = batch;
  const hashes = byteaArray(blocks.map((block) => block.hash));
  await session.run(
    INSERT_BLOCKS,
    numberArray(blocks.map((block) => block.height)),
    hashes,
    byteaArray(blocks.map((block) => block.parentHash)),
    numberArray(blocks.map((block) => block.timestamp)),
    numberArray(blocks.map((block) => block.transactions.length)),
    numberArray(blocks.map((block) => block.changes.length)),
  );
  await session.run(DELETE_ABANDONED, hashes);

  const all = [...batch.transactions.values()];
  const columns = (some: TransactionRecord[]) => [
    numberArray(some.map((transaction) => transaction.id)),
    byteaArray(some.map((transaction) => transaction.hash)),
  ];
  const fresh = all.filter((transaction) => transaction.storedId === undefined);
  if (fresh.length > 0) await session.run(INSERT_TRANSACTIONS, ...columns(fresh));
  const moved = all.filter(hasMoved);
  if (moved.length > 0) await session.run(MOVE_TRANSACTIONS, ...columns(moved));

  const addresses = [...batch.addresses];
  if (addresses.length > 0) {
    await session.run(
      INSERT_ADDRESSES,
      byteaArray(addresses.map(([key]) => key)),
      addresses.map(([, address]) => address.text),
      numberArray(addresses.map(([, address]) => address.firstHeight)),
    );
  }
  if (claims.length > 0) {
    await session.run(
      INSERT_CLAIMS,
      claims.map((claim) => claim.assetId),
      numberArray(claims.map((claim) => claim.transactionId)),
      numberArray(claims.map((claim) => claim.outputIndex)),
      claims.map((claim) => claim.name),
      claims.map((claim) => claim.symbol),
      numberArray(claims.map((claim) => claim.decimals)),
    );
  }
}

const hasMoved = ({ id, storedId }: TransactionRecord): boolean => storedId !== undefined && storedId !== id;

const DELETE_MOVED = statement(
  "delete-moved-outputs",
  "DELETE FROM outputs WHERE transaction_id = ANY ($1::bigint[])",
);
const INSERT_OUTPUTS = statement(
  "insert-outputs",
  `INSERT INTO outputs (transaction_id, output_index, spent_transaction_id, spent_input_index, token_id, address_key,
                        amount, capacity)
   SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[], $6::bytea[],
                        $7::numeric[], $8::numeric[])`,
);
const SPEND_OUTPUTS = statement(
  "spend-outputs",
  `UPDATE outputs o SET spent_transaction_id = spent.spent_transaction_id, spent_input_index = spent.input_index
   FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[])
     AS spent (transaction_id, output_index, spent_transaction_id, input_index)
   WHERE o.transaction_id = spent.transaction_id AND o.output_index = spent.output_index`,
);
const INSERT_LIVE = statement(
  "insert-live-outputs",
  `INSERT INTO live_outputs (transaction_id, output_index, token_id, address_key, transaction_hash, amount, capacity)
   SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bytea[], $5::bytea[], $6::numeric[],
                        $7::numeric[])`,
);
const DELETE_LIVE = statement(
  "delete-live-outputs",
  `DELETE FROM live_outputs l USING unnest($1::bytea[], $2::bigint[], $3::bigint[])
     AS spent (address_key, transaction_id, output_index)
   WHERE l.address_key = spent.address_key AND l.transaction_id = spent.transaction_id
     AND l.output_index = spent.output_index`,
);

async function writeOutputs(session: Session, batch: Batch, tokenIds: Map<string, number>): Promise<void> {
  const all = [...batch.transactions.values()];
  const moved = all.filter(hasMoved);
  // A row of another place is another row: where outputs are distributed by transaction it may change machines.
  if (moved.length > 0) await session.run(DELETE_MOVED, numberArray(moved.map(({ storedId }) => storedId!)));

  const fresh: OutputRecord[] = [];
  const spent: OutputRecord[] = [];
  for (const transaction of all) {
    const inserts = hasMoved(transaction);
    for (const output of transaction.outputs.values()) {
      if (!output.stored || inserts) fresh.push(output);
      else if (output.spentNow) spent.push(output);
    }
  }
  if (fresh.length > 0) {
    await session.run(
      INSERT_OUTPUTS,
      numberArray(fresh.map((output) => output.transaction.id)),
      numberArray(fresh.map((output) => output.index)),
      numberArray(fresh.map((output) => output.spentBy)),
      numberArray(fresh.map((output) => output.spentInput)),
      numberArray(fresh.map((output) => tokenIds.get(output.assetId)!)),
      byteaArray(fresh.map((output) => output.addressKey)),
      numberArray(fresh.map((output) => output.amount)),
      numberArray(fresh.map((output) => output.capacity)),
    );
  }
  if (spent.length > 0) {
    await session.run(
      SPEND_OUTPUTS,
      numberArray(spent.map((output) => output.transaction.id)),
      numberArray(spent.map((output) => output.index)),
      numberArray(spent.map((output) => output.spentBy)),
      numberArray(spent.map((output) => output.spentInput)),
    );
    await session.run(
      DELETE_LIVE,
      byteaArray(spent.map((output) => output.addressKey)),
      numberArray(spent.map((output) => output.transaction.id)),
      numberArray(spent.map((output) => output.index)),
    );
  }
  const live = fresh.filter((output) => output.spentBy === null);
  if (live.length > 0) {
    await session.run(
      INSERT_LIVE,
      numberArray(live.map((output) => output.transaction.id)),
      numberArray(live.map((output) => output.index)),
      numberArray(live.map((output) => tokenIds.get(output.assetId)!)),
      byteaArray(live.map((output) => output.addressKey)),
      byteaArray(live.map((output) => output.transaction.hash)),
      numberArray(live.map((output) => output.amount)),
      numberArray(live.map((output) => output.capacity)),
    );
  }
}

const ADD_TO_TOKENS = statement(
  "add-to-tokens",
  `UPDATE tokens t SET supply = t.supply + added.supply,
     first_height = least(t.first_height, added.first_height),
     first_mint_height = least(t.first_mint_height, added.first_mint)
   FROM unnest($1::integer[], $2::numeric[], $3::bigint[], $4::bigint[]) AS added (id, supply, first_height, first_mint)
   WHERE t.id = added.id
     AND (added.supply <> 0
       OR least(t.first_height, added.first_height) IS DISTINCT FROM t.first_height
       OR least(t.first_mint_height, added.first_mint) IS DISTINCT FROM t.first_mint_height)`,
);
const ADD_TO_HOLDINGS = statement(
  "add-to-holdings",
  `INSERT INTO holdings AS h (address_key, token_id, output_count, amount, capacity)
   SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bigint[], $4::numeric[], $5::numeric[])
   ON CONFLICT (address_key, token_id) DO UPDATE SET
     output_count = h.output_count + excluded.output_count,
     amount = h.amount + excluded.amount,
     capacity = h.capacity + excluded.capacity`,
);
const DELETE_EMPTY_HOLDINGS = statement(
  "delete-empty-holdings",
  `DELETE FROM holdings h USING unnest($1::bytea[], $2::integer[]) AS changed (address_key, token_id)
   WHERE h.address_key = changed.address_key AND h.token_id = changed.token_id AND h.output_count = 0`,
);

async function writeSums<T extends string | number>(
  session: Session,
  sums: Sums<T>,
  tokenIds: { get(token: T): number | undefined },
): Promise<void> {
  const tokens = [...sums.tokens];
  if (tokens.length > 0) {
    await session.run(
      ADD_TO_TOKENS,
      numberArray(tokens.map(([token]) => tokenIds.get(token)!)),
      numberArray(tokens.map(([, sum]) => sum.supply)),
      numberArray(tokens.map(([, sum]) => sum.firstHeight)),
      numberArray(tokens.map(([, sum]) => sum.firstMint)),
    );
  }
  const changed = [...sums.holdings.values()].filter(
    ({ count, amount, capacity }) => count !== 0 || amount !== 0n || capacity !== 0n,
  );
  if (changed.length === 0) return;
  await session.run(
    ADD_TO_HOLDINGS,
    byteaArray(changed.map((sum) => sum.addressKey)),
    numberArray(changed.map((sum) => tokenIds.get(sum.token)!)),
    numberArray(changed.map((sum) => sum.count)),
    numberArray(changed.map((sum) => sum.amount)),
    numberArray(changed.map((sum) => sum.capacity)),
  );
  const fewer = changed.filter((sum) => sum.count < 0);
  if (fewer.length === 0) return;
  await session.run(
    DELETE_EMPTY_HOLDINGS,
    byteaArray(fewer.map((sum) => sum.addressKey)),
    numberArray(fewer.map((sum) => tokenIds.get(sum.token)!)),
  );
}

const PRICES_AT = statement(
  "prices-at",
  `SELECT t.decimals, p.usd
   FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (asset_id, time, ordinal)
   JOIN tokens t ON t.asset_id = asked.asset_id
   LEFT JOIN LATERAL (
     SELECT usd FROM prices WHERE asset_id = asked.asset_id AND time <= asked.time ORDER BY time DESC LIMIT 1
   ) p ON true
   ORDER BY asked.ordinal`,
);
const INSERT_CHANGES = statement(
  "insert-changes",
  `INSERT INTO asset_changes (block_hash, ordinal, token_id, height, amount, amount_usd)
   SELECT * FROM unnest($1::bytea[], $2::integer[], $3::integer[], $4::bigint[], $5::numeric[], $6::numeric[])`,
);

async function writeChanges(session: Session, batch: Batch, tokenIds: Map<string, number>): Promise<void> {
  const changes = batch.blocks.flatMap((block) =>
    block.changes.map((change, ordinal) => ({ ...change, block, ordinal })),
  );
  if (changes.length === 0) return;
  const asked = await session.all<{ decimals: number; usd: string | null }>(
    PRICES_AT,
    changes.map((change) => change.assetId),
    numberArray(changes.map((change) => change.block.timestamp)),
  );
  const values = changes.map(({ amount }, i) => {
    const { decimals, usd } = asked[i]!;
    return usd === null ? 0n : valueInUsd(amount, decimals, BigInt(usd));
  });
  await session.run(
    INSERT_CHANGES,
    byteaArray(changes.map((change) => change.block.hash)),
    numberArray(changes.map((change) => change.ordinal)),
    numberArray(changes.map((change) => tokenIds.get(change.assetId)!)),
    numberArray(changes.map((change) => change.block.height)),
    numberArray(changes.map((change) => change.amount)),
    numberArray(values),
  );
}

const TOKENS_TO_NAME = statement(
  "tokens-to-name",
  `SELECT id, asset_id, fungible, chain_parent_id, decimals FROM tokens
   WHERE asset_id = ANY ($1::text[]) OR (chain_parent_id = ANY ($1::text[]) AND chain_parent_id <> '')`,
);
const EARLIEST_CLAIMS = statement(
  "earliest-claims",
  `SELECT asked.asset_id, c.name, c.symbol, c.decimals
   FROM unnest($1::text[]) AS asked (asset_id)
   CROSS JOIN LATERAL (
     SELECT name, symbol, decimals FROM claims WHERE asset_id = asked.asset_id
     ORDER BY transaction_id, output_index LIMIT 1
   ) c`,
);
const REGISTRY_ENTRIES = statement(
  "registry-entries",
  "SELECT asset_id, entry FROM registry WHERE asset_id = ANY ($1::text[])",
);
const PICTURED = statement("pictured", "SELECT asset_id FROM icons WHERE asset_id = ANY ($1::text[])");
const NAME_TOKENS = statement(
  "name-tokens",
  `UPDATE tokens t SET layer = n.layer, parent_id = n."parentId", name = n.name, name_folded = n.folded,
     symbol = n.symbol, decimals = n.decimals, icon = n.icon, description = n.description, keywords = n.keywords,
     public = n.public, tags = n.tags
   FROM json_to_recordset($1) AS n (id integer, layer integer, "parentId" text, name text, folded text, symbol text,
     decimals integer, icon text, description text, keywords text, public boolean, tags text[])
   WHERE t.id = n.id`,
);

/** Brings what the given assets, and the tokens of the given collections, are called up to date. */
async function refreshTokens(session: Session, assetIds: string[]): Promise<void> {
  if (assetIds.length === 0) return;
  const identity = (await readIdentity(session))!;
  const tokens = await session.all<{
    id: number;
    asset_id: string;
    fungible: boolean;
    chain_parent_id: string;
    decimals: number;
  }>(TOKENS_TO_NAME, assetIds);
  if (tokens.length === 0) return;
  const ids = [...new Set(tokens.flatMap((token) => [token.asset_id, token.chain_parent_id]))];
  const claims = new Map(
    (
      await session.all<{ asset_id: string; name: string; symbol: string; decimals: number | null }>(
        EARLIEST_CLAIMS,
        ids,
      )
    ).map((claim) => [claim.asset_id, claim]),
  );
  const registry = new Map(
    (await session.all<{ asset_id: string; entry: string }>(REGISTRY_ENTRIES, ids)).map((row) => [
      row.asset_id,
      JSON.parse(row.entry) as RegistryEntry,
    ]),
  );
  const pictured = new Set(
    (await session.all<{ asset_id: string }>(PICTURED, ids)).map((row) => row.asset_id),
  );
  const named = tokens.map((token) => {
    const { id, asset_id: assetId, fungible, chain_parent_id: parentId } = token;
    const native = assetId === identity.native.id ? identity.native : null;
    const shown = shownToken(
      { id: assetId, parentId, fungible, native },
      claims.get(assetId),
      parentId === "" ? undefined : claims.get(parentId),
      registry.get(assetId),
      pictured.has(assetId),
    );
    return { ...shown, id, folded: foldCase(shown.name) };
  });
  await session.run(NAME_TOKENS, JSON.stringify(named));
  for (const [i, token] of tokens.entries()) {
    if (named[i]!.decimals !== token.decimals) await revalue(session, token.asset_id, 0);
  }
}

const TOKEN_DECIMALS = statement("token-decimals", "SELECT id, decimals FROM tokens WHERE asset_id = $1");
/** From the one in force at a time on. */
const PRICES_FROM = statement(
  "prices-from",
  `SELECT time, usd FROM prices WHERE asset_id = $1 AND time >= coalesce(
     (SELECT max(time) FROM prices WHERE asset_id = $1 AND time <= $2), $2) ORDER BY time`,
);
const FIRST_HEIGHT_FROM = statement(
  "first-height-from",
  "SELECT min(height) AS height FROM blocks WHERE timestamp >= $1",
);
const CHANGES_OF = statement(
  "changes-of",
  `SELECT c.height, c.block_hash, c.ordinal, c.amount, c.amount_usd, b.timestamp
   FROM asset_changes c JOIN blocks b ON b.height = c.height
   WHERE c.token_id = $1 AND c.height > $2 AND b.timestamp >= $3 ORDER BY c.height LIMIT 10000`,
);
const REVALUE = statement(
  "revalue",
  `UPDATE asset_changes c SET amount_usd = v.usd
   FROM unnest($1::bytea[], $2::integer[], $3::numeric[]) AS v (block_hash, ordinal, usd)
   WHERE c.block_hash = v.block_hash AND c.ordinal = v.ordinal`,
);

/** Values the asset's changes anew, in blocks from `time` on. */
async function revalue(session: Session, assetId: string, time: number): Promise<void> {
  const token = await session.get<{ id: number; decimals: number }>(TOKEN_DECIMALS, assetId);
  if (!token) return;
  const prices = (await session.all<{ time: number; usd: string }>(PRICES_FROM, assetId, time)).map(
    (price) => ({
      time: price.time,
      usd: BigInt(price.usd),
    }),
  );
  // A batch at a time: the native asset has a change in every block.
  const first = await session.get<{ height: number | null }>(FIRST_HEIGHT_FROM, time);
  if (first?.height == null) return;
  let after = first.height - 1;
  for (;;) {
    const changes = await session.all<{
      height: number;
      block_hash: string;
      ordinal: number;
      amount: string;
      amount_usd: string;
      timestamp: number;
    }>(CHANGES_OF, token.id, after, time);
    if (changes.length === 0) return;
    after = changes.at(-1)!.height;
    const wrong = changes.flatMap((change) => {
      const price = priceInForce(prices, change.timestamp);
      const usd = price === undefined ? 0n : valueInUsd(BigInt(change.amount), token.decimals, price);
      return usd.toString() === change.amount_usd ? [] : [{ ...change, usd }];
    });
    if (wrong.length === 0) continue;
    await session.run(
      REVALUE,
      byteaArray(wrong.map((change) => change.block_hash)),
      numberArray(wrong.map((change) => change.ordinal)),
      numberArray(wrong.map((change) => change.usd)),
    );
  }
}

/** Blocks taken back together: enough to spread fixed costs, few enough to keep memory flat. */
const REVERT_BLOCKS = 100;

const NATIVE_TOKEN = statement("native-token", "SELECT id FROM tokens WHERE standard = 'native'");
const HIGHEST_BLOCKS = statement(
  "highest-blocks",
  `SELECT height, hash FROM blocks WHERE height > $1 ORDER BY height DESC LIMIT ${REVERT_BLOCKS}`,
);

export async function revertTo(session: Session, height: number): Promise<number> {
  const native = await session.get<{ id: number }>(NATIVE_TOKEN);
  if (!native) return 0;
  const touched = new Set<string>();
  let count = 0;
  for (;;) {
    const blocks = await session.all<{ height: number; hash: string }>(HIGHEST_BLOCKS, height);
    if (blocks.length === 0) break;
    count += blocks.length;
    const sums = new Sums<number>(native.id);
    await revertBlocks(session, blocks, sums, touched);
    await writeSums(session, sums, { get: (token) => token });
    await dropUnknown(session, height, native.id, sums);
  }
  await refreshTokens(session, [...touched]);
  return count;
}

const SPENT_FROM = statement(
  "spent-from",
  `SELECT ${OUTPUT_COLUMNS} FROM outputs o WHERE o.spent_transaction_id >= $1`,
);
const CREATED_FROM = statement(
  "created-from",
  `SELECT ${OUTPUT_COLUMNS} FROM outputs o WHERE o.transaction_id >= $1`,
);
const HASHES_OF = statement(
  "hashes-of-transactions",
  "SELECT id, hash FROM transactions WHERE id = ANY ($1::bigint[])",
);
const UNSPEND = statement(
  "unspend",
  `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
   WHERE spent_transaction_id >= $1 AND transaction_id >= 0`,
);
const DELETE_FOREIGN = statement(
  "delete-foreign-outputs",
  "DELETE FROM outputs WHERE spent_transaction_id >= $1",
);
const USED_TRANSACTIONS = statement(
  "used-transactions",
  "SELECT DISTINCT transaction_id AS id FROM outputs WHERE transaction_id = ANY ($1::bigint[])",
);
const DELETE_TRANSACTIONS = statement(
  "delete-transactions",
  "DELETE FROM transactions WHERE id = ANY ($1::bigint[])",
);
const DELETE_OUTPUTS_FROM = statement(
  "delete-outputs-from",
  "DELETE FROM outputs WHERE transaction_id >= $1",
);
const DELETE_TRANSACTIONS_FROM = statement(
  "delete-transactions-from",
  "DELETE FROM transactions WHERE id >= $1",
);
const DELETE_CLAIMS_FROM = statement(
  "delete-claims-from",
  "DELETE FROM claims WHERE transaction_id >= $1 RETURNING asset_id",
);
const DELETE_CHANGES = statement(
  "delete-changes",
  "DELETE FROM asset_changes WHERE block_hash = ANY ($1::bytea[])",
);
const ABANDON_BLOCKS = statement(
  "abandon-blocks",
  `INSERT INTO abandoned_blocks (hash, height, parent_hash)
   SELECT hash, height, parent_hash FROM blocks WHERE height >= $1`,
);
const DELETE_BLOCKS = statement("delete-blocks", "DELETE FROM blocks WHERE height >= $1");

/** Takes back the given blocks, of which there are none above. */
async function revertBlocks(
  session: Session,
  blocks: { height: number; hash: string }[],
  sums: Sums<number>,
  touched: Set<string>,
): Promise<void> {
  const lowest = blocks.at(-1)!.height;
  const from = firstId(lowest);
  const spent = await session.all<OutputRow>(SPENT_FROM, from);
  const created = await session.all<OutputRow>(CREATED_FROM, from);
  const revived = spent.filter((row) => row.transaction_id >= 0 && row.transaction_id < from);
  for (const row of spent) addRow(sums, 0, row);
  for (const row of revived) addRow(sums, 1, row);
  const live = created.filter((row) => row.spent_transaction_id === null);
  for (const row of created) addRow(sums, 0, row);
  for (const row of live) addRow(sums, -1, row);

  if (live.length > 0) {
    await session.run(
      DELETE_LIVE,
      byteaArray(live.map((row) => row.address_key)),
      numberArray(live.map((row) => row.transaction_id)),
      numberArray(live.map((row) => row.output_index)),
    );
  }
  await session.run(DELETE_OUTPUTS_FROM, from);
  await session.run(UNSPEND, from);
  await revive(session, revived);
  // What came from outside was known only because these blocks spend it.
  await session.run(DELETE_FOREIGN, from);
  const foreign = [...new Set(spent.map((row) => row.transaction_id).filter((id) => id < 0))];
  if (foreign.length > 0) {
    const used = await session.all<{ id: number }>(USED_TRANSACTIONS, numberArray(foreign));
    const stillUsed = new Set(used.map((row) => row.id));
    await session.run(DELETE_TRANSACTIONS, numberArray(foreign.filter((id) => !stillUsed.has(id))));
  }
  await session.run(DELETE_TRANSACTIONS_FROM, from);
  for (const { asset_id } of await session.all<{ asset_id: string }>(DELETE_CLAIMS_FROM, from)) {
    touched.add(asset_id);
  }
  await session.run(DELETE_CHANGES, byteaArray(blocks.map((block) => block.hash)));
  await session.run(ABANDON_BLOCKS, lowest);
  await session.run(DELETE_BLOCKS, lowest);
}

/** Outputs whose spending is taken back are live again. */
async function revive(session: Session, rows: OutputRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = [...new Set(rows.map((row) => row.transaction_id))];
  const hashes = new Map(
    (await session.all<{ id: number; hash: string }>(HASHES_OF, numberArray(ids))).map((row) => [
      row.id,
      row.hash,
    ]),
  );
  await session.run(
    INSERT_LIVE,
    numberArray(rows.map((row) => row.transaction_id)),
    numberArray(rows.map((row) => row.output_index)),
    numberArray(rows.map((row) => row.token_id)),
    byteaArray(rows.map((row) => row.address_key)),
    byteaArray(rows.map((row) => hashes.get(row.transaction_id)!)),
    rows.map((row) => row.amount),
    rows.map((row) => row.capacity),
  );
}

function addRow(sums: Sums<number>, sign: 1 | 0 | -1, row: OutputRow): void {
  const amount = row.amount === null ? null : BigInt(row.amount);
  sums.add(sign, row.address_key, row.token_id, amount, BigInt(row.capacity));
}

const DROP_ADDRESSES = statement(
  "drop-addresses",
  "DELETE FROM addresses WHERE key = ANY ($1::bytea[]) AND first_height > $2",
);
const DROP_TOKENS = statement(
  "drop-tokens",
  "DELETE FROM tokens WHERE id = ANY ($1::integer[]) AND id <> $3 AND first_height > $2",
);
const FORGET_HEIGHTS = statement(
  "forget-heights",
  `UPDATE tokens SET
     first_mint_height = CASE WHEN first_mint_height <= $2 THEN first_mint_height END,
     first_height = CASE WHEN first_height <= $2 THEN first_height END
   WHERE id = ANY ($1::integer[]) AND (first_mint_height > $2 OR first_height > $2)`,
);

/** Addresses and tokens that only the reverted blocks mention were never seen on the chain that remains. */
async function dropUnknown(
  session: Session,
  height: number,
  nativeId: number,
  mentioned: Sums<number>,
): Promise<void> {
  const keys = [...new Set([...mentioned.holdings.values()].map((sum) => sum.addressKey))];
  const ids = numberArray([...new Set([nativeId, ...mentioned.tokens.keys()])]);
  if (keys.length > 0) await session.run(DROP_ADDRESSES, byteaArray(keys), height);
  await session.run(DROP_TOKENS, ids, height, nativeId);
  await session.run(FORGET_HEIGHTS, ids, height);
}

const REGISTERED = statement("registered", "SELECT asset_id FROM registry UNION SELECT asset_id FROM icons");
const CLEAR_REGISTRY = statement("clear-registry", "DELETE FROM registry");
const INSERT_REGISTRY = statement(
  "insert-registry",
  "INSERT INTO registry (asset_id, entry) SELECT * FROM unnest($1::text[], $2::text[])",
);

const CLEAR_ICONS = statement("clear-icons", "DELETE FROM icons");
const INSERT_ICONS = statement(
  "insert-icons",
  "INSERT INTO icons (asset_id, picture, etag) SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[])",
);

export async function replaceRegistry(
  session: Session,
  entries: RegistryEntry[],
  icons: AssetIcon[],
): Promise<void> {
  const before = (await session.all<{ asset_id: string }>(REGISTERED)).map((row) => row.asset_id);
  await session.run(CLEAR_REGISTRY);
  if (entries.length > 0) {
    await session.run(
      INSERT_REGISTRY,
      entries.map((entry) => entry.id),
      entries.map((entry) => JSON.stringify(entry)),
    );
  }
  await session.run(CLEAR_ICONS);
  if (icons.length > 0) {
    await session.run(
      INSERT_ICONS,
      icons.map((icon) => icon.assetId),
      icons.map((icon) => Buffer.from(icon.picture)),
      icons.map((icon) => icon.etag),
    );
  }
  const after = [...entries.map((entry) => entry.id), ...icons.map((icon) => icon.assetId)];
  if (await readIdentity(session)) {
    await refreshTokens(session, [...new Set([...before, ...after])]);
  }
}

const PRICE_ROWS = 10_000;

const INSERT_PRICES = statement(
  "insert-prices",
  `INSERT INTO prices (asset_id, time, usd) SELECT * FROM unnest($1::text[], $2::bigint[], $3::numeric[])
   ON CONFLICT (asset_id, time) DO UPDATE SET usd = excluded.usd`,
);

export async function loadPrices(session: Session, prices: Price[]): Promise<void> {
  // The last of several for one moment counts, and one statement may meet each row once.
  const last = new Map(prices.map((price) => [`${price.assetId} ${price.time}`, price]));
  const rows = [...last.values()];
  const earliest = new Map<string, number>();
  for (const { assetId, time } of rows) earliest.set(assetId, Math.min(earliest.get(assetId) ?? time, time));
  for (let i = 0; i < rows.length; i += PRICE_ROWS) {
    const some = rows.slice(i, i + PRICE_ROWS);
    await session.run(
      INSERT_PRICES,
      some.map((price) => price.assetId),
      numberArray(some.map((price) => price.time)),
      numberArray(some.map((price) => price.usd)),
    );
  }
  for (const [assetId, time] of earliest) await revalue(session, assetId, time);
}
