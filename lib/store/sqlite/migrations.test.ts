import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { foldCase } from "#lib/store/rules/names.ts";
import { migrations } from "./migrations.ts";

test("names folded by the first version are found like new ones", () => {
  const database = new DatabaseSync(":memory:");
  const [chain, folded] = migrations;
  database.exec(chain!.sql);
  const names = ["ΛΌΓΟΣ Οδός", "STRAẞE, Straße", "Plain"];
  const insert = database.prepare(
    "INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply, name, name_folded) VALUES (?, '', 1, '', '', 0, ?, ?)",
  );
  for (const name of names) insert.run(name, name, name.normalize("NFC").toUpperCase().toLowerCase());
  database.exec(folded!.sql);
  const rows = database.prepare("SELECT name, name_folded FROM tokens").all();
  expect(rows).toHaveLength(names.length);
  for (const { name, name_folded } of rows) expect(name_folded).toBe(foldCase(name as string));
});
