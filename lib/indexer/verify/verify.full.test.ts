import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { account, CKB, MAXIMUM_AMOUNT, tokenId, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { iconEtag } from "#lib/queries/asset-icon.ts";
import { storedHorizon } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { signedIn } from "#lib/testing/sign-in.ts";
import { sync } from "../sync.ts";
import { verifyStore } from "./verify.ts";

// Each kind of damage is done to a copy of a healthy database.

const [ann, bob, carl] = ["ann", "bob", "carl"].map((name) => account(name)) as [
  ReturnType<typeof account>,
  ReturnType<typeof account>,
  ReturnType<typeof account>,
];
const gold = udt(ann);
const rich = udt(ann, "sudt");
const START = Date.UTC(2026, 0, 1);
/** The first height that is stored: blocks from there on spend outputs of blocks that are not. */
const FIRST = 4;
/** One that moves two assets. */
const MID = 22;

/** Payments, mints that name their token, a token beyond 64 bits, burns, a cluster and Spores. */
function grow(chain: ChainBuilder, blocks: number): ChainBuilder {
  for (let i = 0; i < blocks; i++) {
    const height = chain.height + 1;
    chain.transfer({ from: ann, to: bob, amount: 300n * CKB });
    chain.transfer({
      from: bob,
      to: height % 2 === 0 ? carl : account(`other ${height}`),
      amount: 90n * CKB,
    });
    if (height % 3 === 0) {
      const info = { name: `Gold ${height}`, symbol: "GLD", decimals: 2 };
      chain.mint({ token: gold, issuer: ann, to: carl, amount: 1_000n, info });
    }
    if (height % 3 === 1 && chain.balance(carl, gold) > 0n) {
      chain.transfer({ token: gold, from: carl, to: bob, amount: 300n, payer: carl });
    }
    if (height % 7 === 5) chain.burn({ token: gold, from: bob, amount: 50n, payer: bob });
    if (height === 9) chain.mint({ token: rich, issuer: ann, to: bob, amount: MAXIMUM_AMOUNT });
    if (height === 10) {
      const { cell } = chain.cluster({ name: "Pictures", owner: ann, payer: ann });
      chain.spores({
        contents: ["1", "2"],
        to: carl,
        payer: ann,
        contentType: "image/svg+xml",
        cluster: cell,
      });
    }
    if (height === 15) chain.spore({ to: bob, payer: ann });
    chain.block();
  }
  return chain;
}

async function fill(store: Store, node: StandInNode): Promise<void> {
  const follow = () => sync(store, new CkbNode(node.url), { once: true, from: FIRST });
  const owners = [ann, bob, carl].flatMap((lock) =>
    Array.from({ length: 6 }, () => ({ lock, capacity: 50_000n * CKB })),
  );
  const base = grow(new ChainBuilder({ genesis: owners }), 25);
  const fork = base.fork(23);
  fork.transfer({ from: carl, to: account("of the fork") });
  fork.block();
  fork.emptyBlocks(1);
  node.setChain(fork.blocks);
  await follow();
  node.setChain(grow(base, 5).blocks);
  await follow();

  const listed = [NATIVE_ASSET.id, tokenId(gold)];
  await store.write(
    replaceRegistry,
    listed.map((id) => ({ id, description: "Listed", tags: ["a", "b"], keywords: ["k"] })),
    listed.map((assetId) => {
      const picture = Buffer.from(`picture of ${assetId}`);
      return { assetId, picture, etag: iconEtag(picture) };
    }),
  );
  await store.write(
    loadPrices,
    [0, 1, 2].flatMap((n) =>
      listed.map((assetId) => ({ assetId, time: START + n * 60_000, usd: BigInt(n + 1) * 10n ** 16n })),
    ),
  );
  await signedIn(store, "utxos:read");
}

/** A copy of the healthy database. */
interface Copy {
  url: string;
  /** Writes to it behind the program's back; or reads. */
  run(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

interface Column {
  tab: string;
  col: string;
  type: string;
  /** The columns that identify a row. */
  keys: string;
}

interface Engine {
  name: "SQLite" | "PostgreSQL";
  start(fill: (store: Store) => Promise<void>): Promise<void>;
  copy(): Promise<Copy>;
  stop(): Promise<void>;
  /** A query for every `Column`. */
  columns: string;
  /** Expressions for other values of the column `c`, by a part of its type. */
  others: Record<string, string[]>;
}

const FOR_INTEGERS = ["c + 1", "c - 1", "c * 2", "0", "-1", "1000000", "9007199254740993"];
const FOR_TEXTS = ["c || 'x'", "''", "'{'"];
/** Another row's value, or none. */
const FOR_ALL = ["(SELECT c FROM t ORDER BY c LIMIT 1)", "(SELECT c FROM t ORDER BY c DESC LIMIT 1)", "NULL"];

function sqlite(): Engine {
  let folder: string;
  let count = 0;
  const file = (name: string | number) => join(folder, `${name}.db`);
  return {
    name: "SQLite",
    async start(fill) {
      folder = mkdtempSync(join(tmpdir(), "aqs-verify-"));
      const store = await openStore(`sqlite:${file("grown")}`);
      await fill(store);
      await store.close();
      const grown = new DatabaseSync(file("grown"));
      grown.prepare("VACUUM INTO ?").run(file("healthy"));
      grown.close();
    },
    async copy() {
      count += 1;
      const path = file(count);
      copyFileSync(file("healthy"), path);
      const database = new DatabaseSync(path);
      return {
        url: `sqlite:${path}`,
        run: async (sql) => database.prepare(sql).all(),
        async remove() {
          database.close();
          for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
        },
      };
    },
    stop: async () => rmSync(folder, { recursive: true }),
    columns: `SELECT t.name AS tab, c.name AS col, c.type,
                (SELECT group_concat(k.name) FROM pragma_table_info(t.name) k WHERE k.pk > 0) AS keys
              FROM pragma_table_list t, pragma_table_info(t.name) c
              WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'`,
    others: {
      INTEGER: FOR_INTEGERS,
      TEXT: FOR_TEXTS,
      BLOB: ["randomblob(32)", "x''", "substr(c, 2)"],
      // Numbers beyond 64 bits are texts.
      ANY: [
        ...["iif(typeof(c) = 'integer', c + 1, c || '0')", "iif(typeof(c) = 'integer', c - 1, substr(c, 2))"],
        ...["c || ''", "'0' || c", "c + 0.5", "'x'", "CAST(c AS BLOB)", "-1"],
      ],
    },
  };
}

function postgres(): Engine {
  let server: ThrowawayServer;
  let count = 0;
  return {
    name: "PostgreSQL",
    async start(fill) {
      server = startPostgres();
      await server.run("CREATE DATABASE healthy");
      const store = await openStore(server.url("healthy"));
      await fill(store);
      await store.close();
    },
    async copy() {
      count += 1;
      const name = `copy_${count}`;
      await server.run(`CREATE DATABASE ${name} TEMPLATE healthy`);
      const client = new pg.Client({ connectionString: server.url(name) });
      await client.connect();
      return {
        url: server.url(name),
        run: async (sql) => (await client.query(sql)).rows,
        async remove() {
          await client.end();
          await server.run(`DROP DATABASE ${name}`);
        },
      };
    },
    stop: async () => server.stop(),
    columns: `SELECT table_name AS tab, column_name AS col, data_type AS type, 'ctid' AS keys FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name <> 'schema_migrations'`,
    others: {
      int: FOR_INTEGERS,
      numeric: ["c + 1", "c - 1", "c * 2", "0", "-1", "c + 0.5", "c + 0.0", "'NaN'", "'Infinity'"],
      text: FOR_TEXTS,
      bytea: ["sha256(c)", "''", "substr(c, 2)"],
      boolean: ["NOT c"],
      ARRAY: ["c || 'x'::text", "'{}'"],
    },
  };
}

const engines = [sqlite()];
if (process.env.ENGINES !== "sqlite") {
  if (postgresBinaries() === null) test.skip(`PostgreSQL: ${NO_POSTGRES}`, () => {});
  else engines.push(postgres());
}

/** A statement for both engines, or one for each. */
type Sql = string | Record<Engine["name"], string | string[]>;

const LIVE = "spent_transaction_id IS NULL";
const SPENT = "spent_transaction_id IS NOT NULL AND transaction_id >= 0";
const GOLD = `token_id = (SELECT id FROM tokens WHERE asset_id = '${tokenId(gold)}')`;
/** The latest output of this sort. */
const output = (condition: string) =>
  `(transaction_id, output_index) = (SELECT transaction_id, output_index FROM outputs WHERE ${condition}
     ORDER BY transaction_id DESC, output_index DESC LIMIT 1)`;
const setOutput = (change: string, condition: string) =>
  `UPDATE outputs SET ${change} WHERE ${output(condition)}`;
const setGold = (change: string) => `UPDATE tokens SET ${change} WHERE asset_id = '${tokenId(gold)}'`;
const LARGEST = `${GOLD} AND amount = (SELECT max(amount) FROM holdings WHERE ${GOLD})`;
const setBlock = (change: string) => `UPDATE blocks SET ${change} WHERE height = ${MID}`;
const setChange = (change: string) =>
  `UPDATE asset_changes SET ${change} WHERE height = ${MID} AND ordinal = 1`;
const setAddress = (change: string, order: "" | "DESC") =>
  `UPDATE addresses SET ${change} WHERE key = (SELECT key FROM addresses ORDER BY first_height ${order}, key LIMIT 1)`;
const oldAndLate = (column: string) => ({
  old: `(SELECT ${column} FROM addresses ORDER BY first_height, key LIMIT 1)`,
  late: `(SELECT ${column} FROM addresses ORDER BY first_height DESC, key LIMIT 1)`,
});
/** `old` has outputs in the lowest blocks, `late` none before the highest ones. */
const both = (sql: (words: { hash: string; owner: string; old: string; late: string }) => string): Sql => ({
  SQLite: sql({ hash: "randomblob(32)", owner: "address_id", ...oldAndLate("id") }),
  PostgreSQL: sql({ hash: "sha256('x')", owner: "address_key", ...oldAndLate("key") }),
});
/** A live output, where the engine keeps a second row of it. */
const setLive = (change: string) =>
  `UPDATE live_outputs SET ${change} WHERE transaction_id = (SELECT max(transaction_id) FROM live_outputs)`;

/** Damage to rows that follow from others, and the fault that names it. */
const damages: [name: string, sql: Sql | Sql[], says: RegExp][] = [
  ["a live output is gone", `DELETE FROM outputs WHERE ${output(LIVE)}`, /^token 0x80000135: totalSupply is/],
  [
    "a spent output is gone",
    `DELETE FROM outputs WHERE ${output(SPENT)}`,
    /^block \d+: the stored changes do not match/,
  ],
  [
    "a live token amount is higher",
    setOutput("amount = amount + 1", `${LIVE} AND ${GOLD}`),
    /^token .* totalSupply is/,
  ],
  [
    "a spent token amount is higher",
    setOutput("amount = amount + 1", `${SPENT} AND ${GOLD}`),
    /^block \d+: the stored changes/,
  ],
  [
    "an amount is no whole number",
    setOutput("amount = 1.5", `${LIVE} AND ${GOLD}`),
    /^1 rows of outputs with an amount that is not a whole number/,
  ],
  [
    "an amount is negative",
    setOutput("amount = -1", `${LIVE} AND ${GOLD}`),
    /^1 rows of outputs with an amount/,
  ],
  [
    "a live capacity is higher",
    setOutput("capacity = capacity + 1", LIVE),
    /^token 0x80000135: totalSupply is/,
  ],
  [
    "a live output has another owner",
    both(({ owner, late }) =>
      setOutput(`${owner} = ${late}`, `${LIVE} AND transaction_id < ${MID} * 1048576`),
    ),
    /not the sum|not among the live/,
  ],
  [
    "a live output holds another token",
    setOutput("token_id = token_id + 1", `${LIVE} AND ${GOLD}`),
    /^block \d+: the stored changes/,
  ],
  [
    "a spent output is live again",
    setOutput("spent_transaction_id = NULL, spent_input_index = NULL", SPENT),
    /^block \d+: the stored changes/,
  ],
  [
    "half of who spent an output is forgotten",
    setOutput("spent_input_index = NULL", SPENT),
    /^1 outputs of which it is not clear whether they are spent/,
  ],
  [
    "a live output is spent",
    setOutput("spent_transaction_id = (SELECT max(id) FROM transactions), spent_input_index = 99", LIVE),
    /the inputs of transaction \d+ are not numbered/,
  ],
  [
    "an output is spent before it is created",
    setOutput("spent_transaction_id = (SELECT min(id) FROM transactions WHERE id >= 0)", SPENT),
    /^1 outputs that are spent before they are created/,
  ],
  [
    "a token output has no amount",
    setOutput("amount = NULL", `${LIVE} AND ${GOLD}`),
    /^1 outputs of which it is not clear whether they hold a token/,
  ],
  [
    "an output has a later index",
    setOutput("output_index = 999", `${SPENT} AND output_index = 0`),
    /the outputs of transaction \d+ are not numbered/,
  ],
  [
    "two inputs have one index",
    setOutput("spent_input_index = 0", `${SPENT} AND spent_input_index = 1`),
    /the inputs of transaction \d+ are not numbered/,
  ],
  [
    "a holding is higher",
    `UPDATE holdings SET amount = amount + 1 WHERE ${LARGEST}`,
    /^The holding of token/,
  ],
  [
    "a holding has one output more",
    `UPDATE holdings SET output_count = output_count + 1 WHERE ${LARGEST}`,
    /^The holding of token/,
  ],
  [
    "a holding has more capacity",
    `UPDATE holdings SET capacity = capacity + 1 WHERE ${LARGEST}`,
    /^The holding of token/,
  ],
  [
    "a sum by kind is wrong",
    "UPDATE kinds SET capacity = capacity + 1 WHERE kind <> ''",
    /^The sums by kind of address/,
  ],
  ["the sums by kind are gone", "DELETE FROM kinds", /^The sums by kind of address/],
  [
    "a sum by kind has no outputs",
    both(
      ({ owner, late }) =>
        `INSERT INTO kinds (${owner}, kind, output_count, capacity) SELECT ${late}, 'code', 1, 1`,
    ),
    /sums by kind without a live output|^The sums by kind of address/,
  ],
  ["a holding is gone", `DELETE FROM holdings WHERE ${LARGEST}`, /^The holding of token/],
  [
    "a holding has no outputs",
    both(
      ({ owner, late }) =>
        `INSERT INTO holdings (${owner}, token_id, output_count, amount, capacity) SELECT ${late}, id, 1, 1, 1 FROM tokens WHERE asset_id = '${tokenId(rich)}'`,
    ),
    /holdings without a live output|^The holding of token/,
  ],
  [
    "an asset has a holder more",
    setGold("holder_count = holder_count + 1"),
    /^1 assets whose holders or outputs are not counted/,
  ],
  [
    "an asset has an output less",
    setGold("output_count = output_count - 1"),
    /^1 assets whose holders or outputs are not counted/,
  ],
  ["a supply is higher", setGold("supply = supply + 1"), /^token .* totalSupply is/],
  [
    "the native supply is higher",
    "UPDATE tokens SET supply = supply + 1 WHERE standard = 'native'",
    /^token 0x80000135: totalSupply is/,
  ],
  ["a token was seen later", setGold("first_height = first_height + 1"), /^token .* firstHeight is/],
  [
    "a token was minted later",
    setGold("first_mint_height = first_mint_height + 1"),
    /^token .* firstMintHeight is/,
  ],
  ["a token was never minted", setGold("first_mint_height = NULL"), /^token .* firstMintHeight is null/],
  [
    "a token was minted below the first block",
    setGold("first_mint_height = -1"),
    /^token .* firstMintHeight is/,
  ],
  [
    "an address was seen later",
    setAddress("first_height = first_height + 1", ""),
    /^address .* firstHeight is 5, the blocks make it 4/,
  ],
  [
    "an address was seen below the first block",
    setAddress("first_height = -1", ""),
    /^address .* firstHeight is -1/,
  ],
  [
    "an address was seen earlier",
    setAddress(`first_height = ${FIRST}`, "DESC"),
    /^address .* firstHeight is 4, the blocks make it/,
  ],
  [
    "no output has an address",
    both(
      ({ hash }) =>
        `INSERT INTO addresses (key, text, first_height) SELECT ${hash}, text, 5 FROM addresses LIMIT 1`,
    ),
    /^address .* firstHeight is 5, the blocks make it none/,
  ],
  ["a token has another name", setGold("name = name || 'x'"), /^token .* name is/],
  ["a token has another symbol", setGold("symbol = symbol || 'x'"), /^token .* symbol is/],
  [
    "an asset is not found by its name",
    `DELETE FROM asset_names WHERE kind = 0 AND ${GOLD}`,
    /^token .* names is/,
  ],
  [
    "an asset looks like nothing",
    `UPDATE asset_names SET text = 'x' || text WHERE kind = 1 AND ${GOLD}`,
    /^token .* names is/,
  ],
  [
    "an asset comes before others of its name",
    `UPDATE asset_names SET unlisted = 1 - unlisted WHERE kind = 0 AND ${GOLD}`,
    /^token .* names is/,
  ],
  [
    "an asset that is not stored has a name",
    "INSERT INTO asset_names (kind, text, unlisted, token_id) VALUES (0, 'x', 1, 99999)",
    /^1 names of assets that are not stored/,
  ],
  ["a token has other decimals", setGold("decimals = decimals + 1"), /^token .* decimals is/],
  [
    "a token is found by another name",
    setGold("name_folded = name_folded || 'x'"),
    /^token .* foldedName is/,
  ],
  [
    "a token has other tags",
    { SQLite: setGold(`tags = '["x"]'`), PostgreSQL: setGold("tags = '{x}'") },
    /^token .* tags is/,
  ],
  [
    "a token's tags cannot be read",
    { SQLite: setGold("tags = '{'"), PostgreSQL: setGold("tags = '{}'") },
    /^a token cannot be read|^token .* tags is/,
  ],
  [
    "a token is not public",
    { SQLite: setGold("public = 0"), PostgreSQL: setGold("public = false") },
    /^token .* public is false/,
  ],
  [
    "the native asset is not the native one",
    "UPDATE tokens SET standard = 'xUDT' WHERE standard = 'native'",
    /^token 0x80000135: standard is xUDT/,
  ],
  [
    "the earliest claim is gone",
    `DELETE FROM claims WHERE transaction_id = (SELECT min(transaction_id) FROM claims WHERE asset_id = '${tokenId(gold)}')`,
    /^token .* name is/,
  ],
  [
    "a claim hangs on no transaction",
    "UPDATE claims SET transaction_id = transaction_id + 500 WHERE transaction_id = (SELECT max(transaction_id) FROM claims)",
    /^1 claims whose transaction is not stored/,
  ],
  [
    "a registry entry is gone",
    `DELETE FROM registry WHERE asset_id = '${tokenId(gold)}'`,
    /^token .* description is Listed/,
  ],
  [
    "a registry entry is about another asset",
    `UPDATE registry SET entry = (SELECT max(entry) FROM registry)`,
    /its registry entry is about another asset/,
  ],
  ["a picture is gone", "DELETE FROM icons", /^token .* icon is/],
  [
    "a picture is another",
    { SQLite: "UPDATE icons SET picture = randomblob(200)", PostgreSQL: "UPDATE icons SET picture = 'x'" },
    /its picture is not the one that was stored/,
  ],
  ["a change is higher", setChange("amount = amount + 1"), /^block 22: the stored changes do not match/],
  ["a change is worth more", setChange("amount_usd = amount_usd + 1"), /^block 22: .* is valued at/],
  [
    "a change is gone",
    `DELETE FROM asset_changes WHERE height = ${MID} AND ordinal = 1`,
    /^block 22: 1 changes are stored, 2 are counted/,
  ],
  [
    "a change and its count are gone",
    [`DELETE FROM asset_changes WHERE height = ${MID} AND ordinal = 1`, setBlock("change_count = 1")],
    /^block 22: the stored changes do not match/,
  ],
  ["a change has a later place", setChange("ordinal = 7"), /^block 22: the changes are not numbered/],
  [
    "a change is at another height",
    setChange("height = height + 1000"),
    /^1 asset changes whose block is not stored/,
  ],
  [
    "a price is another",
    `UPDATE prices SET usd = '70000000000000000' WHERE time = ${START + 60_000}`,
    /^block \d+: .* is valued at/,
  ],
  [
    "a block has another hash",
    both(({ hash }) => setBlock(`hash = ${hash}`)),
    /^block 23: names 0x.* as its parent, but 0x.* is below it/,
  ],
  [
    "a block has another parent",
    both(({ hash }) => setBlock(`parent_hash = ${hash}`)),
    /^block 22: names 0x.* as its parent/,
  ],
  [
    "a block counts one transaction more",
    setBlock("transaction_count = transaction_count + 1"),
    /^block 22: \d transactions are stored, \d are counted/,
  ],
  [
    "a block is gone",
    `DELETE FROM blocks WHERE height = ${MID}`,
    /^\d transactions whose block is not stored/,
  ],
  [
    "the highest block is gone",
    "DELETE FROM blocks WHERE height = 30",
    /^\d transactions whose block is not stored/,
  ],
  [
    "the highest blocks are gone with what they created",
    [
      "DELETE FROM blocks WHERE height > 27",
      "DELETE FROM asset_changes WHERE height > 27",
      `DELETE FROM transactions WHERE id >= 28 * 1048576`,
      `DELETE FROM outputs WHERE transaction_id >= 28 * 1048576`,
    ],
    /^\d+ outputs spent by a transaction that is not stored/,
  ],
  [
    "a transaction is gone",
    `DELETE FROM transactions WHERE id = ${MID} * 1048576`,
    /^\d outputs without a transaction/,
  ],
  [
    "a transaction has a later place",
    `UPDATE transactions SET id = id + 100 WHERE id = ${MID} * 1048576`,
    /^block 22: the transactions are not numbered/,
  ],
  [
    "a transaction spends nothing from outside",
    both(({ hash }) => `INSERT INTO transactions (id, hash) SELECT min(id) - 1, ${hash} FROM transactions`),
    /^1 transactions outside the indexed blocks of which nothing is spent/,
  ],
  ["there is a gap more", "INSERT INTO gaps VALUES (10, 11)", /^1 wrongly stored gaps/],
  ["the gap is longer", `UPDATE gaps SET last_height = last_height + 1`, /^2 wrongly stored gaps/],
  [
    "a block is earlier than a lower block by more than the stored setback",
    `UPDATE blocks SET timestamp = 0 WHERE height = ${MID}`,
    /^1 blocks that are earlier than a lower block/,
  ],
  [
    "a block is listed as abandoned",
    `INSERT INTO abandoned_blocks (hash, height, parent_hash) SELECT hash, height, parent_hash FROM blocks WHERE height = ${MID}`,
    /^1 blocks that are stored and listed as abandoned/,
  ],
  [
    "an abandoned block is at another height",
    "UPDATE abandoned_blocks SET height = height + 1",
    /^\d abandoned blocks that are not at the height above their parent/,
  ],
  [
    "an address has another text",
    "UPDATE addresses SET text = (SELECT max(text) FROM addresses)",
    /^address .* names the key/,
  ],
  [
    "an address has another key",
    both(({ hash }) => setAddress(`key = ${hash}`, "DESC")),
    /^address .* names the key/,
  ],
  [
    "it is another chain",
    "UPDATE state SET value = replace(value, 'testnet', 'mainnet') WHERE key = 'identity'",
    /^address .* Testnet address/i,
  ],
  [
    "the native asset has other decimals",
    `UPDATE state SET value = replace(value, '"decimals":8', '"decimals":9') WHERE key = 'identity'`,
    /^token 0x80000135: decimals is 8/,
  ],
  [
    "it does not say which chain it holds",
    "UPDATE state SET value = '{' WHERE key = 'identity'",
    /^which chain it is cannot be read/,
  ],
  [
    "an access token's scopes cannot be read",
    "UPDATE access_tokens SET scopes = '['",
    /^an access token cannot be read/,
  ],
  [
    "what a transaction did to an address is gone",
    both(() => "DELETE FROM touches WHERE transaction_id = (SELECT max(transaction_id) FROM touches)"),
    /^\d+ times, what a transaction did to an address is not stored/,
  ],
  [
    "a touch says another last spend",
    both(
      () =>
        "UPDATE touches SET last_spent = last_spent + 1 WHERE last_spent > 0 AND transaction_id < 9000000",
    ),
    /^transaction \d+ of block \d+ did .* to the address 0x/,
  ],
  [
    "a run of touches is gone",
    both(() => "DELETE FROM touch_runs"),
    /^\d+ touches that begin no run and should/,
  ],
  [
    "a run of touches begins elsewhere",
    both(() => "UPDATE touch_runs SET first_id = first_id + 1"),
    /^\d+ runs of touches that do not begin at a landmark/,
  ],
  [
    "a run of touches says another last spend",
    both(() => "UPDATE touch_runs SET last_spent = last_spent + 1"),
    /^\d+ runs of touches with another last spend than theirs/,
  ],
  [
    "a touch says a last spend of no transaction",
    both(() => "UPDATE touches SET last_spent = -1 WHERE last_spent = 0"),
    /lastSpent|last spend/i,
  ],
  [
    "a run of touches says a last spend of no transaction",
    both(() => "UPDATE touch_runs SET last_spent = -1 WHERE last_spent = 0"),
    /^\d+ runs of touches with another last spend than theirs/,
  ],
];

/** Damage to tables that only PostgreSQL has. */
const ofPostgres: typeof damages = [
  ["a live output has another amount", setLive("capacity = capacity + 1"), /not among the live ones/],
  [
    "a live output has another transaction hash",
    setLive("transaction_hash = sha256('x')"),
    /^\d live outputs with the hash of another transaction/,
  ],
  [
    "two transactions have one id",
    `UPDATE transactions SET id = ${MID} * 1048576 WHERE id = ${MID} * 1048576 + 1`,
    /^1 transactions that share an id/,
  ],
  [
    "a spent output has another owner",
    both(({ owner, old }) =>
      setOutput(`${owner} = ${old}`, `${SPENT} AND output_index = 0 AND ${owner} <> ${old}`),
    ),
    /^transaction \d+ of block \d+ did .* to the address 0x/,
  ],
];

/** Damage to what the chain alone says, and no other row. */
const facts: typeof damages = [
  [
    "the owner of an output from outside",
    both(
      ({ owner, old }) =>
        `UPDATE outputs SET ${owner} = ${old} WHERE transaction_id < 0 AND ${owner} <> ${old}`,
    ),
    /^block \d+: transactions\.\d+\.inputs\.\d+\.output\.address\.key is/,
  ],
  [
    "a transaction's hash",
    both(
      ({
        hash,
      }) => `UPDATE transactions SET hash = ${hash} WHERE id = (SELECT max(transaction_id) FROM outputs o
      WHERE NOT EXISTS (SELECT 1 FROM outputs l WHERE l.transaction_id = o.transaction_id AND l.${LIVE}))`,
    ),
    /^block \d+: transactions\.\d+\.hash is/,
  ],
  [
    "the highest block's hash",
    {
      SQLite: "UPDATE blocks SET hash = randomblob(32) WHERE height = 30",
      PostgreSQL: ["blocks SET hash", "asset_changes SET block_hash"].map(
        (set) => `UPDATE ${set} = sha256('x') WHERE height = 30`,
      ),
    },
    /^block 30: hash is 0x.*, the node says 0x/,
  ],
  [
    "the lowest block's parent",
    both(({ hash }) => `UPDATE blocks SET parent_hash = ${hash} WHERE height = ${FIRST}`),
    /^block 4: parentHash is/,
  ],
  [
    "a block's time",
    setBlock("timestamp = timestamp + 1"),
    /^block 22: timestamp is \d+, the node says \d+$/,
  ],
  [
    "what a block's header says beside",
    both(({ hash }) => `UPDATE blocks SET header_facts = ${hash} WHERE height = 22`),
    /^block 22: headerFacts is 0x/,
  ],
  [
    "the kind of an output",
    setOutput("kind = 'dao-deposit'", `${SPENT} AND amount IS NULL`),
    /^block \d+: transactions\.\d+\.outputs\.\d+\.kind is dao-deposit/,
  ],
  [
    "the standard of a token",
    setGold("standard = 'sUDT'"),
    /^block \d+: token 0x.*\.standard is sUDT, the node says xUDT/,
  ],
  [
    "the media type of a Spore",
    "UPDATE tokens SET content_type = 'x/y' WHERE content_type = 'image/svg+xml'",
    /^block 10: token 0x.*\.contentType is "x\/y"/,
  ],
  [
    "a later claim",
    `DELETE FROM claims WHERE transaction_id = (SELECT max(transaction_id) FROM claims)`,
    /^block \d+: transactions\.\d+\.claims\.0 is missing, the node says there/,
  ],
  [
    "the amount of a token output, less",
    setOutput("amount = amount - 1", `${SPENT} AND ${GOLD} AND transaction_id / 1048576 % 3 = 1`),
    /^block \d+: transactions\.\d+\.outputs\.\d+\.amount is/,
  ],
];

/**
 * Columns whose changes no other row shows. "chain": only a node can show them. "operator": nobody can, because the
 * operator or the past made the value. Changes of all other columns must be found.
 */
const UNREPEATED: Record<string, "chain" | "operator"> = {
  "blocks.hash": "chain",
  "blocks.parent_hash": "chain",
  "blocks.timestamp": "chain",
  "blocks.header_facts": "chain",
  "transactions.hash": "chain",
  "outputs.transaction_id": "chain",
  "outputs.output_index": "chain",
  "outputs.address_id": "chain",
  "outputs.address_key": "chain",
  "outputs.token_id": "chain",
  "outputs.amount": "chain",
  "outputs.capacity": "chain",
  "outputs.kind": "chain",
  "outputs.spent_transaction_id": "chain",
  "outputs.spent_input_index": "chain",
  "tokens.asset_id": "chain",
  "tokens.standard": "chain",
  "tokens.fungible": "chain",
  "tokens.content_type": "chain",
  "tokens.chain_parent_id": "chain",
  "claims.asset_id": "chain",
  "claims.transaction_id": "chain",
  "claims.output_index": "chain",
  "claims.name": "chain",
  "claims.symbol": "chain",
  "claims.decimals": "chain",
  // Found if the database then contradicts itself: which chain it is, a price that some block is valued at.
  "state.key": "operator",
  "state.value": "operator",
  "prices.asset_id": "operator",
  "prices.time": "operator",
  "prices.usd": "operator",
  "abandoned_blocks.hash": "operator",
  "abandoned_blocks.height": "operator",
  "abandoned_blocks.parent_hash": "operator",
  "abandoned_touches.keys": "operator",
  "access_tokens.id": "operator",
  "access_tokens.hash": "operator",
  "access_tokens.name": "operator",
  "access_tokens.scopes": "operator",
  "access_tokens.hint": "operator",
  "access_tokens.created_at": "operator",
  "access_tokens.expires_at": "operator",
  "access_tokens.revoked_at": "operator",
  "access_tokens.rate_per_minute": "operator",
  "access_tokens.last_used_at": "operator",
};

/** Values that nothing else shows: a horizon may leave a token without outputs, and so nothing to compare with a node. */
const UNKNOWN: Record<string, string> = Object.fromEntries(
  ["standard", "fungible", "content_type", "chain_parent_id"].map((column) => [
    `tokens.${column}`,
    "NOT EXISTS (SELECT 1 FROM outputs o WHERE o.token_id = tokens.id)",
  ]),
);

/** Values up to a horizon that no other row determines, and in part no node. */
const FORGOTTEN: Record<string, "chain" | "operator"> = {
  "blocks.transaction_count": "chain",
  "tokens.first_mint_height": "operator",
  "addresses.first_height": "operator",
  "claims.asset_id": "operator",
  "touches.last_spent": "operator",
  "touch_runs.last_spent": "operator",
};

const cases = engines.flatMap((engine) => [
  { engine, horizon: -1, name: engine.name },
  { engine, horizon: 20, name: `${engine.name} with a horizon` },
]);

describe.each(cases)("verify on $name", ({ engine, horizon }) => {
  let node: StandInNode;

  beforeAll(async () => {
    node = await StandInNode.start();
    await engine.start(async (store) => {
      await fill(store, node);
      await store.write(raiseHorizon, horizon);
      expect(await store.query(storedHorizon)).toBe(horizon);
    });
  });

  afterAll(async () => {
    await engine.stop();
    await node.close();
  });

  async function onCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
    const copy = await engine.copy();
    try {
      return await work(copy);
    } finally {
      await copy.remove();
    }
  }

  async function verify({ url }: Copy, asks: "alone" | "with a node"): Promise<string[]> {
    const store = await openStore(url);
    try {
      const { parseAddress } = ckb;
      const source = asks === "alone" ? undefined : new CkbNode(node.url);
      return await verifyStore(store, { parseAddress, node: source && { source } });
    } finally {
      await store.close();
    }
  }

  async function damage(copy: Copy, sql: Sql | Sql[]): Promise<void> {
    const statements = [sql].flat().flatMap((each) => (typeof each === "string" ? each : each[engine.name]));
    for (const each of statements) await copy.run(each);
  }

  test("finds nothing in a healthy database, with or without a node", async () => {
    await onCopy(async (copy) => {
      expect(await verify(copy, "alone")).toEqual([]);
      expect(await verify(copy, "with a node")).toEqual([]);
    });
  });

  const all = engine.name === "PostgreSQL" ? [...damages, ...ofPostgres] : damages;
  test.skipIf(horizon >= 0).each(all)("says that %s", async (_, sql, says) => {
    await onCopy(async (copy) => {
      await damage(copy, sql);
      expect(await verify(copy, "alone")).toContainEqual(expect.stringMatching(says));
    });
  });

  test.runIf(horizon >= 0)("needs a node to know how many transactions a block up to it has", async () => {
    await onCopy(async (copy) => {
      await copy.run("UPDATE blocks SET transaction_count = transaction_count + 1 WHERE height = 10");
      expect(await verify(copy, "alone")).toEqual([]);
      const fault = /^block 10: \d+ transactions are counted, the node says \d+$/;
      expect(await verify(copy, "with a node")).toEqual([expect.stringMatching(fault)]);
    });
  });

  test.skipIf(horizon >= 0).each(facts)("needs a node to know %s", async (_, sql, says) => {
    await onCopy(async (copy) => {
      await damage(copy, sql);
      expect(await verify(copy, "alone")).toEqual([]);
      expect(await verify(copy, "with a node")).toContainEqual(expect.stringMatching(says));
    });
  });

  test("finds any value that is changed, a fact of the chain with a node, and never fails itself", async () => {
    const columns = (await onCopy((copy) => copy.run(engine.columns))) as unknown as Column[];
    expect(columns.length).toBeGreaterThan(70);
    const change = fc.record({ column: fc.constantFrom(...columns), row: fc.nat(), value: fc.nat() });
    await fc.assert(
      fc.asyncProperty(change, async ({ column: { tab, col, type, keys }, row, value }) => {
        const others = Object.entries(engine.others).find(([part]) => type.includes(part))?.[1];
        const values = [...others!, ...FOR_ALL].map((text) =>
          text.replaceAll(/\bc\b/g, col).replaceAll(/\bt\b/g, tab),
        );
        const other = values[value % values.length]!;
        await onCopy(async (copy) => {
          const [{ n }] = (await copy.run(`SELECT count(*) AS n FROM ${tab}`)) as [{ n: number }];
          const which = `(${keys}) = (SELECT ${keys} FROM ${tab} ORDER BY ${keys} LIMIT 1 OFFSET ${row % Number(n)})`;
          const unknown = UNKNOWN[`${tab}.${col}`] ?? "false";
          const sql = `UPDATE ${tab} SET ${col} = ${other} WHERE ${which} AND ${col} IS DISTINCT FROM ${other} RETURNING ${unknown} AS unknown`;
          let changed: { unknown: boolean | number }[];
          try {
            changed = (await copy.run(sql)) as typeof changed;
          } catch {
            // The table itself refuses the value.
            return;
          }
          if (!changed[0] || changed[0].unknown) return;
          const forgotten = horizon >= 0 && FORGOTTEN[`${tab}.${col}`];
          const repeated = forgotten || UNREPEATED[`${tab}.${col}`];
          let faults = await verify(copy, "alone");
          if (repeated && faults.length === 0) faults = await verify(copy, "with a node");
          if (repeated !== "operator") expect(faults, sql).not.toEqual([]);
        });
      }),
      { numRuns: engine.name === "SQLite" ? 500 : 60 },
    );
  });
});
