import { describe, expect, test } from "vitest";
import {
  accessTokenByHash,
  createAccessToken,
  cursorKey,
  listedTokens,
  noteTokenUses,
  revokeAccessToken,
} from "#lib/queries/access-tokens.ts";
import { adoptOperatorData, operatorData } from "#lib/queries/operator-data.ts";
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

    test("are found by their hash, and keep the earliest time of a revocation", async () => {
      await store.record(createAccessToken, { ...token, hash });
      expect(await store.query(accessTokenByHash, hash)).toEqual(token);
      expect(await store.query(accessTokenByHash, Buffer.alloc(32))).toBeNull();
      for (const time of [7, 9, 5]) expect(await store.record(revokeAccessToken, "t1", time)).toBe(true);
      expect(await store.record(revokeAccessToken, "t2", 9)).toBe(false);
      expect(await store.query(listedTokens)).toEqual([{ ...token, revokedAt: 5, lastUsedAt: null }]);
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
        expect((await store.query(listedTokens)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([at, null]);
      }
    });

    test("may have a rate of their own, and keep their earliest ends in a copy", async () => {
      const limited = { ...token, ratePerMinute: 600 };
      await store.record(createAccessToken, { ...limited, hash });
      await store.record(createAccessToken, { ...limited, id: "t2", hash: Buffer.alloc(32, 2) });
      expect(await store.query(accessTokenByHash, hash)).toEqual(limited);
      // A copy into a database that has them already.
      const { accessTokens, ...data } = await store.query(operatorData);
      const copyOf = (...ends: (number | null)[]) => {
        const copied = accessTokens.map((each, i) => ({ ...each, expiresAt: ends[i]!, revokedAt: ends[i]! }));
        return adoptOperatorData(store, { ...data, accessTokens: copied });
      };
      for (const [copied, kept] of [
        [
          [7, null],
          [7, null],
        ],
        [
          [8, 5],
          [7, 5],
        ],
        [
          [6, null],
          [6, 5],
        ],
      ] as const) {
        await copyOf(...copied);
        const tokens = await store.query(listedTokens);
        expect(tokens.map(({ expiresAt }) => expiresAt)).toEqual(kept);
        expect(tokens.map(({ revokedAt }) => revokedAt)).toEqual(kept);
      }
    });

    test("sign cursors with one key for the life of the database", async () => {
      const key = await store.query(cursorKey);
      expect(key).toHaveLength(32);
      expect(Buffer.from(await store.query(cursorKey)).equals(key)).toBe(true);
    });
  });
});
