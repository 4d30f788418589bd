import { describe, expect, test } from "vitest";
import {
  accessTokenByHash,
  createAccessToken,
  cursorKey,
  endAccessToken,
  listedTokens,
  noteTokenUses,
  revokeAccessToken,
} from "#lib/questions/access-tokens.ts";
import { adoptOperatorData, operatorData } from "#lib/questions/operator-data.ts";
import { hashOf } from "#lib/testing/ledger.ts";

import { describeEngines, store } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("access tokens", () => {
    const hash = Buffer.from(hashOf("secret").slice(2), "hex");
    const token = {
      id: "t1",
      name: "ci",
      scopes: ["utxos:read" as const],
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      ratePerMinute: null,
      hint: "abcd",
    };

    test("are found by their hash, and keep the time of their first revocation", async () => {
      await store.record(createAccessToken, { ...token, hash });
      expect(await store.ask(accessTokenByHash, hash)).toEqual(token);
      expect(await store.ask(accessTokenByHash, Buffer.alloc(32))).toBeNull();
      expect(await store.record(revokeAccessToken, "t1", 5)).toBe(true);
      expect(await store.record(revokeAccessToken, "t1", 9)).toBe(true);
      expect(await store.record(revokeAccessToken, "t2", 9)).toBe(false);
      expect(await store.ask(listedTokens)).toEqual([{ ...token, revokedAt: 5, lastUsedAt: null }]);
    });

    test("have the time of their last use", async () => {
      await store.record(createAccessToken, { ...token, hash });
      await store.record(createAccessToken, { ...token, id: "t2", hash: Buffer.alloc(32, 2) });
      const at = Date.UTC(2026, 0, 1);
      for (const uses of [
        new Map([
          ["t1", at],
          ["none", at],
        ]),
        new Map([["t1", at - 1]]),
      ]) {
        expect(await store.note(noteTokenUses, uses)).toBe(true);
        expect((await store.ask(listedTokens)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([at, null]);
      }
    });

    test("may have a rate of their own, and end earlier but never later", async () => {
      const limited = { ...token, ratePerMinute: 600 };
      await store.record(createAccessToken, { ...limited, hash });
      await store.record(createAccessToken, { ...limited, id: "t2", hash: Buffer.alloc(32, 2) });
      expect(await store.ask(accessTokenByHash, hash)).toEqual(limited);
      for (const [at, end] of [
        [9, 9],
        [12, 9],
        [7, 7],
      ] as const) {
        await store.record(endAccessToken, "t1", at);
        expect((await store.ask(accessTokenByHash, hash))?.expiresAt).toBe(end);
      }
      expect((await store.ask(listedTokens)).map(({ id, expiresAt }) => [id, expiresAt])).toEqual([
        ["t1", 7],
        ["t2", null],
      ]);
      // A copy into a database that has them already.
      const { accessTokens, ...data } = await store.ask(operatorData);
      await adoptOperatorData(store, {
        ...data,
        accessTokens: accessTokens.map((each) => ({ ...each, expiresAt: each.id === "t1" ? 8 : 5 })),
      });
      expect((await store.ask(listedTokens)).map(({ expiresAt }) => expiresAt)).toEqual([7, 5]);
    });

    test("sign cursors with one key for the life of the database", async () => {
      const key = await store.ask(cursorKey);
      expect(key).toHaveLength(32);
      expect(Buffer.from(await store.ask(cursorKey)).equals(key)).toBe(true);
    });
  });
});
