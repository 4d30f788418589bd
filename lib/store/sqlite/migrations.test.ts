import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { limitText } from "#lib/contract/texts.ts";
import { verifyStore } from "#lib/ingest/verify.ts";
import { assetPage } from "#lib/questions/assets/read.ts";
import { migrations } from "#lib/store/migrations.ts";
import { openStore } from "#lib/store/open.ts";
import { foldCase } from "#lib/store/rules/asset-names.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { transactionWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { at, identity, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { usd } from "#lib/testing/stores.ts";
import { Database } from "./database.ts";
import { SqliteStore } from "./sqlite-store.ts";

test("names folded by the first version are found like new ones", () => {
  const database = new DatabaseSync(":memory:");
  const [chain, folded] = migrations;
  database.exec(chain!.sqlite.join(";"));
  const names = ["ΛΌΓΟΣ Οδός", "STRAẞE, Straße", "Plain"];
  const insert = database.prepare(
    "INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply, name, name_folded) VALUES (?, '', 1, '', '', 0, ?, ?)",
  );
  for (const name of names) insert.run(name, name, name.normalize("NFC").toUpperCase().toLowerCase());
  database.exec(folded!.sqlite.join(";"));
  const rows = database.prepare("SELECT name, name_folded FROM tokens").all();
  expect(rows).toHaveLength(names.length);
  for (const { name, name_folded } of rows) expect(name_folded).toBe(foldCase(name as string));
});

test("names that were stored without a limit are cut, those of the registry excepted, and found like new ones", () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-migrations-"));
  try {
    const file = join(folder, "old.db");
    const old = new DatabaseSync(file);
    for (const { sqlite } of migrations.slice(0, 3)) old.exec(sqlite.join(";"));
    old.exec("PRAGMA user_version = 3");
    const long = "Ǆß😀".repeat(1000);
    const claim = old.prepare("INSERT INTO claims VALUES (?, 0, 0, ?, ?, NULL)");
    const token = old.prepare(
      `INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply, name, name_folded, symbol)
       VALUES (?, '', 1, ?, '', 0, ?, ?, ?)`,
    );
    const listed = old.prepare("INSERT INTO registry VALUES (?, ?)");
    for (const id of ["claimed", "listed"]) {
      claim.run(id, long, long);
      token.run(id, long, long, foldCase(long), long);
    }
    token.run("short", "text/plain", "Short…", foldCase("Short…"), "S");
    listed.run("listed", JSON.stringify({ id: "listed", name: long }));
    old.close();

    const database = new Database(file);
    expect(database.migrate()).toEqual(migrations.slice(3).map(({ name }) => name));
    const name = limitText(long, 256);
    const symbol = limitText(long, 64);
    expect(database.all("SELECT asset_id, name, symbol FROM claims")).toEqual([
      { asset_id: "claimed", name, symbol },
      { asset_id: "listed", name, symbol },
    ]);
    const stored =
      "SELECT asset_id AS id, content_type AS type, name, name_folded AS folded, symbol FROM tokens";
    expect(database.all(stored)).toEqual([
      { id: "claimed", type: name, name, folded: foldCase(name), symbol },
      { id: "listed", type: name, name: long, folded: foldCase(long), symbol },
      { id: "short", type: "text/plain", name: "Short…", folded: foldCase("Short…"), symbol: "S" },
    ]);
    database.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what addresses hold is summed by kind, as far as an earlier version stored kinds", () => {
  const database = new DatabaseSync(":memory:");
  const step = migrations.findIndex(({ name }) => name === "0010-kinds");
  for (const { sqlite } of migrations.slice(0, step)) database.exec(sqlite.join(";"));
  const [ann, bob] = [1, 2];
  const [native, usd] = [1, 2];
  const output = database.prepare(
    "INSERT INTO outputs VALUES (0, ?, ?, ?, ?, ?, ?, NULL, ?) -- amount, capacity, spent by, kind",
  );
  for (const [index, [address, token, amount, capacity, spentBy, kind]] of [
    [ann, native, null, 100, null, "dao-deposit"],
    [ann, native, null, 50, null, "dao@7"],
    [ann, native, null, 25, null, "dao@9"],
    [ann, native, null, 10, null, ""],
    [ann, native, null, 5, null, null],
    [ann, native, null, 1_000, 9, "dao-deposit"],
    [ann, usd, 3, 7, null, ""],
    [bob, native, null, 11, null, "code"],
  ].entries()) {
    output.run(index, address!, token!, amount!, capacity!, spentBy!, kind!);
  }
  database.exec(migrations[step]!.sqlite.join(";"));
  const rows = database.prepare("SELECT * FROM kinds ORDER BY address_id, kind").all();
  expect(rows.map((row) => Object.values(row))).toEqual([
    [ann, "", 2, 15],
    [ann, "dao", 2, 75],
    [ann, "dao-deposit", 1, 100],
    [bob, "code", 1, 11],
  ]);
});

/** Takes back 0022-order-of-holders, but for its index, and 0023-sums-of-four-blocks. */
const UNORDERED =
  "DROP INDEX holders; ALTER TABLE holdings DROP COLUMN key_start; DELETE FROM change_sums WHERE size = 4";

test.each([
  [
    "0013-holders",
    `DROP INDEX transactions_by_hash; DROP TABLE touch_runs; DELETE FROM change_sums WHERE size IN (64, 1024, 16384); ${UNORDERED};
      DROP TABLE asset_names; ALTER TABLE tokens DROP COLUMN holder_count;
      ALTER TABLE tokens DROP COLUMN output_count`,
  ],
  [
    "0019-words-and-members",
    `DELETE FROM asset_names WHERE kind = 2; ${UNORDERED}; CREATE INDEX holders ON holdings (token_id)`,
  ],
  ["0022-order-of-holders", `${UNORDERED}; CREATE INDEX holders ON holdings (token_id)`],
])("holders and names of assets from before %s are counted and found like new ones", async (step, undo) => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-migrations-"));
  try {
    const file = join(folder, "old.db");
    const store = await openStore(`sqlite:${file}`);
    await store.write(identify, identity);
    const ledger = new Ledger();
    const [usd, eur] = ["usd", "eur"].map((name) => tokenOf(name));
    const claims = [{ assetId: eur!.id, outputIndex: 0, name: "New Eὐρώ", symbol: "EUR", decimals: 2 }];
    const first = ledger.block([
      {
        create: ["ann", "ann", "bob"].map((to) => ({ to, token: usd!, amount: 2n ** 100n })),
        claims,
      },
      { create: [{ to: "ann", token: eur!, amount: 5n }] },
    ]);
    ledger.block([{ spend: [at(first, 0, 2)], create: [{ to: "cat" }] }]);
    await storeBlocks(store, ledger.blocks);
    await store.write(replaceRegistry, [{ id: usd!.id, name: "Dollar", symbol: "USD" }]);
    await store.close();
    const old = new DatabaseSync(file);
    const before = migrations.findIndex(({ name }) => name === step);
    old.exec(`${undo}; PRAGMA user_version = ${before}`);
    old.close();

    const database = new Database(file);
    expect(database.migrate()).toEqual(migrations.slice(before).map(({ name }) => name));
    database.close();
    const migrated = await openStore(`sqlite:${file}`);
    expect(await verifyStore(migrated)).toEqual([]);
    const page = await migrated.ask(assetPage, { search: "eὐΡώ", after: undefined, limit: 10 });
    expect(page.rows).toMatchObject([{ token: { id: eur!.id }, holderCount: 1, outputCount: 1 }]);
    await migrated.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("transactions of an earlier version are found by their hashes, although its migration was interrupted", () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-migrations-"));
  try {
    const file = join(folder, "old.db");
    const old = new DatabaseSync(file);
    const before = migrations.findIndex(({ name }) => name === "0017-hash-runs");
    for (const { sqlite } of migrations.slice(0, before)) old.exec(sqlite.join(";"));
    old.exec(`PRAGMA user_version = ${before}`);
    const ids = [-1, firstId(5), firstId(3 * 2 ** 17) + 7];
    for (const [i, id] of ids.entries()) {
      old.prepare("INSERT INTO transactions VALUES (?, ?)").run(id, Buffer.alloc(32, i));
      if (id < 0) continue;
      old
        .prepare(
          `INSERT INTO blocks (height, hash, parent_hash, timestamp, transaction_count, change_count, header_facts)
           VALUES (?, ?, x'00', 0, 0, 0, x'00')`,
        )
        .run(heightOf(id), Buffer.alloc(32, i));
    }
    old.close();

    const database = new Database(file);
    const interrupt = () => {
      throw new Error("interrupted");
    };
    expect(() => database.migrate(interrupt)).toThrow("interrupted");
    expect(database.migrate()).toEqual(migrations.slice(before).map(({ name }) => name));
    const find = database.prepared(`SELECT ${transactionWith("?1")} AS id`);
    for (const [i, id] of ids.entries()) expect(find.get(Buffer.alloc(32, i))).toEqual({ id });
    expect(find.get(Buffer.alloc(32, 9))).toEqual({ id: null });
    database.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is missing between the stored blocks is found once", () => {
  const database = new DatabaseSync(":memory:");
  const step = migrations.findIndex(({ name }) => name === "0005-gaps");
  for (const { sqlite } of migrations.slice(0, step)) database.exec(sqlite.join(";"));
  const insert = database.prepare("INSERT INTO blocks VALUES (?, ?, x'00', 0, 0, 0)");
  for (const height of [2, 3, 7, 8, 10]) insert.run(height, Buffer.from([height]));
  database.exec(migrations[step]!.sqlite.join(";"));
  expect(database.prepare("SELECT * FROM gaps").all()).toEqual([
    { first_height: 0, last_height: 1 },
    { first_height: 4, last_height: 6 },
    { first_height: 9, last_height: 9 },
  ]);
});

test("a database of an earlier version answers as a new one, although its migration was interrupted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-migrations-"));
  const file = (name: string) => join(folder, name);
  try {
    const ledger = new Ledger();
    const blocks = Array.from({ length: 6 }, (_, at) => {
      const spend =
        at < 2 ? [] : [{ transactionHash: ledger.blocks[at - 2]!.transactions[0]!.hash, outputIndex: 0 }];
      return ledger.block([
        { spend, create: [{ to: "ann", token: usd, amount: 2n ** BigInt(60 + at) }, { to: "bob" }] },
      ]);
    });
    const current = new SqliteStore(file("new.db"));
    await current.migrate();
    await current.write(identify, identity);
    await storeBlocks(current, blocks);
    const expected = await canonicalDump(current);
    await current.close();

    const old = new DatabaseSync(file("old.db"));
    for (const { sqlite } of migrations.slice(0, 10)) old.exec(sqlite.join(";"));
    old.exec(`PRAGMA user_version = 10; ATTACH '${file("new.db")}' AS new`);
    for (const { name } of old.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all()) {
      const columns = old
        .prepare("SELECT group_concat(name) AS names FROM pragma_table_info(?)")
        .get(name!)!.names;
      old.exec(
        `DELETE FROM main.${name}; INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM new.${name}`,
      );
    }
    old.close();

    const said = new Set<string>();
    const store = new SqliteStore(file("old.db"));
    // Each time, tables are there, and filled up to some block.
    for (const { name } of migrations.filter(({ fill }) => fill.length > 0)) {
      const interrupted = store.migrate((line) => {
        said.add(line);
        throw new Error("interrupted");
      });
      await expect(interrupted, name).rejects.toThrow("interrupted");
      expect(await store.schemaFault()).toMatch("run `npm run --silent aqs -- migrate`");
    }
    expect([...said]).toHaveLength(migrations.filter(({ fill }) => fill.length > 0).length);
    await store.close();
    const again = new SqliteStore(file("old.db"));
    await again.migrate();
    expect(await canonicalDump(again)).toBe(expected);
    expect(await verifyStore(again)).toEqual([]);
    await again.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
