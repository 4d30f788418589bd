import { afterEach, expect, test } from "vitest";
import { type Migration, migrations } from "./migrations.ts";
import { openStore } from "./open.ts";
import { run, statement } from "./statement.ts";

const ADD_NOTES = "ALTER TABLE gaps ADD COLUMN note TEXT";
const added = migrations as Migration[];

afterEach(() => {
  added.length = 0;
});

test("a database runs the migrations that it lacks, once", async () => {
  const store = await openStore("sqlite::memory:");
  expect(await store.schemaFault()).toBeNull();
  added.push({ name: "0002-notes", sqlite: [ADD_NOTES, "CREATE INDEX noted ON gaps (note)"], postgres: [] });
  expect(await store.schemaFault()).toMatch(/schema version 1, this program needs 2: run .* migrate/);
  expect(await store.migrate()).toEqual(["0002-notes"]);
  expect(await store.migrate()).toEqual([]);
  expect(await store.schemaFault()).toBeNull();
  await store.write(function* ({ db }) {
    yield* run(db, statement("INSERT INTO gaps (first_height, last_height, note) VALUES (1, 2, 'x')"));
  });
  await store.close();
});

test("a migration that fails changes nothing", async () => {
  const store = await openStore("sqlite::memory:");
  added.push({ name: "0002-broken", sqlite: [ADD_NOTES, "SELECT broken"], postgres: [] });
  await expect(store.migrate()).rejects.toThrow(/broken/);
  added.splice(0, 1, { name: "0002-notes", sqlite: [ADD_NOTES], postgres: [] });
  expect(await store.migrate()).toEqual(["0002-notes"]);
  await store.close();
});
