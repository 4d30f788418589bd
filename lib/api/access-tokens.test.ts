import { afterEach, beforeEach, expect, test } from "vitest";
import { listedTokens, revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { checkToken, issueToken, rotateToken } from "./access-tokens.ts";

let store: Store;
beforeEach(async () => {
  store = await openStore("sqlite::memory:");
});
afterEach(() => store.close());

const DAY = 86_400_000;

test("a rotated token is like the old one, which ends after the overlap", async () => {
  const issued = { name: "ci", scopes: ["utxos:read" as const], ratePerMinute: 600 };
  const old = await issueToken(store, { ...issued, now: 0, expiresAt: 90 * DAY });
  const made = await rotateToken(store, old.record.id, { overlap: DAY, now: 60 * DAY });
  expect(made.token).not.toBe(old.token);
  expect(made.record).toMatchObject({ ...issued, createdAt: 60 * DAY, expiresAt: 150 * DAY });
  const isValid = async (token: string, now: number) => (await checkToken(store, token, now)).ok;
  for (const [day, oldIsValid] of [
    [60.9, true],
    [61, false],
  ] as const) {
    expect([await isValid(old.token, day * DAY), await isValid(made.token, day * DAY)]).toEqual([
      oldIsValid,
      true,
    ]);
  }
});

test("a token is rotated once, and revoking it ends the overlap", async () => {
  const old = await issueToken(store, { name: "ci", scopes: [], now: 0, expiresAt: 90 * DAY });
  const { id } = old.record;
  await rotateToken(store, id, { overlap: DAY, now: 60 * DAY });
  await expect(rotateToken(store, id, { overlap: DAY, now: 60.5 * DAY })).rejects.toThrow(
    "is being rotated, and ends 1970-03-03T00:00:00.000Z: rotate its replacement instead",
  );
  await store.record(revokeAccessToken, id, 60.6 * DAY);
  expect(await checkToken(store, old.token, 60.6 * DAY)).toEqual({ ok: false, reason: "revoked" });
  // A later revocation does not postpone an earlier one.
  await store.record(revokeAccessToken, id, 61 * DAY);
  expect(await checkToken(store, old.token, 60.6 * DAY)).toEqual({ ok: false, reason: "revoked" });
});

test("rotating makes no token live longer, and needs one that is valid", async () => {
  const old = await issueToken(store, { name: "ci", scopes: [], now: 0, expiresAt: 10 });
  const { id } = old.record;
  expect((await rotateToken(store, id, { overlap: DAY, now: 5 })).oldEnd).toBe(10);
  expect((await store.query(listedTokens)).find((token) => token.id === id)?.expiresAt).toBe(10);
  await expect(rotateToken(store, id, { overlap: DAY, now: 10 })).rejects.toThrow("no longer valid");
  await expect(rotateToken(store, "nobody", { overlap: 1, now: 1 })).rejects.toThrow(
    "No token has the id nobody.",
  );
  const endless = await issueToken(store, { name: "ci", scopes: [], now: 0, expiresAt: null });
  await store.record(revokeAccessToken, endless.record.id, 1);
  await expect(rotateToken(store, endless.record.id, { overlap: 1, now: 2 })).rejects.toThrow(
    "no longer valid",
  );
  expect(await store.query(listedTokens)).toHaveLength(3);
});
