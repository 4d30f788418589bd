import { expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { done } from "#lib/store/rules/steps.ts";
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

  test("refuses the whole read if a token is not stored, or if a revert removed it meanwhile", async ({
    skip,
  }) => {
    await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
    const damaged = store.query({ effort: "snapshot", read: (db) => tokensById(db, [1, 99]) });
    await expect(damaged).rejects.toThrow("Token 99 is not stored");
    // All that PostgreSQL reads is of one state.
    if (store.engine === "postgres") skip();
    const asked = store.query({
      effort: "snapshot",
      *read(db) {
        // Nothing can write before the first snapshot ends.
        yield* done(Promise.resolve().then(() => store.write(revertTo, -1)));
        return yield* tokensById(db, [2]);
      },
    });
    await expect(asked).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});
