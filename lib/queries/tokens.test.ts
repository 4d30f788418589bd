import { expect, test } from "vitest";
import { hashOf, native } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, usd } from "#lib/testing/stores.ts";
import { tokensByAssetId, tokensById } from "./tokens.ts";

describeEngines(() => {
  test("finds the stored tokens among asset ids", async () => {
    await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
    const tokens = await store.query(tokensByAssetId, [usd.id, native.id, hashOf("none")]);
    expect([...tokens].map(([id, token]) => [id, token.id, token.decimals]).sort()).toEqual(
      [
        [usd.id, usd.id, 0],
        [native.id, native.id, 8],
      ].sort(),
    );
  });

  test("refuses the whole read if a token is not stored", async () => {
    await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
    const damaged = store.query({ effort: "snapshot", read: (db) => tokensById(db, [1, 99]) });
    await expect(damaged).rejects.toThrow("Token 99 is not stored");
  });
});
