import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { scopes } from "#lib/contract/operation.ts";
import { createAccessToken, listedTokens, revokeAccessToken } from "#lib/queries/access-tokens.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";

/** 32 random bytes behind a prefix that secret scanners can find. */
const TOKEN_FORM = /^aqs_[A-Za-z0-9_-]{43}$/;

const hashes = new LRUCache<string, Uint8Array>({ max: 1_000 });

/** Whether the token was valid when it was last checked. That grants nothing. */
export const wasValid = (token: string): boolean => hashes.has(token);

/** The stored form of a token. A random token of 256 bits needs no slow hash and no salt. */
function hashToken(token: string): Uint8Array {
  return hashes.get(token) ?? hash("sha256", token, "buffer");
}

/** Creates an access token and stores its hash. Only this call returns the token itself. */
export async function issueToken(
  store: Store,
  {
    now,
    ratePerMinute = null,
    ...given
  }: Pick<AccessToken, "name" | "scopes" | "expiresAt"> & { now: number; ratePerMinute?: number | null },
): Promise<{ token: string; record: AccessToken }> {
  const token = `aqs_${randomBytes(32).toString("base64url")}`;
  const record: AccessToken = {
    id: randomBytes(6).toString("hex"),
    ...given,
    scopes: given.scopes.length > 0 ? given.scopes : [...scopes],
    createdAt: now,
    revokedAt: null,
    ratePerMinute,
    hint: token.slice(-4),
  };
  await store.record(createAccessToken, { ...record, hash: hashToken(token) });
  return { token, record };
}

const isOver = (end: number | null, now: number): boolean => end !== null && end <= now;

/**
 * Replaces a token with a new one with the same name, scopes, rate and lifetime. The old one ends after `overlap`
 * milliseconds, unless it expires before. Throws an Error if it is unknown, no longer valid, or already being rotated.
 */
export function rotateToken(
  store: Store,
  id: string,
  { overlap, now }: { overlap: number; now: number },
): Promise<{ token: string; record: AccessToken; oldEnd: number }> {
  return store.atomically(async () => {
    const old = (await store.query(listedTokens)).find((each) => each.id === id);
    if (!old) throw new Error(`No token has the id ${id}.`);
    const { name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute } = old;
    if (isOver(revokedAt, now) || isOver(expiresAt, now)) {
      throw new Error(`Token ${id} is no longer valid: create a new one with token create.`);
    }
    if (revokedAt !== null) {
      const end = new Date(revokedAt).toISOString();
      throw new Error(`Token ${id} is being rotated, and ends ${end}: rotate its replacement instead.`);
    }
    const end = expiresAt === null ? null : now + expiresAt - createdAt;
    const oldEnd = Math.min(now + overlap, expiresAt ?? Number.POSITIVE_INFINITY);
    await store.record(revokeAccessToken, id, oldEnd);
    return { ...(await issueToken(store, { name, scopes, expiresAt: end, now, ratePerMinute })), oldEnd };
  });
}

export type TokenCheck =
  | { ok: true; caller: AccessToken; version: string | null }
  | { ok: false; reason: "unknown" | "expired" | "revoked" };

/** Messages for the users of refused tokens. A malformed token counts as unknown, to reveal no form. */
export const refusals: Record<Extract<TokenCheck, { ok: false }>["reason"], string> = {
  unknown: "Token not recognised.",
  revoked: "This token has been revoked.",
  expired: "This token has expired. Ask for a new one.",
};

/** Reads the record each time, so a revocation takes effect at once. `version`: see `Store.accessTokenAndVersion`. */
export async function checkToken(store: Store, token: string, now: number): Promise<TokenCheck> {
  if (!TOKEN_FORM.test(token)) return { ok: false, reason: "unknown" };
  const hash = hashToken(token);
  const { accessToken: record, version } = await store.accessTokenAndVersion(hash);
  if (!record) return { ok: false, reason: "unknown" };
  hashes.set(token, hash);
  if (isOver(record.revokedAt, now)) return { ok: false, reason: "revoked" };
  if (isOver(record.expiresAt, now)) return { ok: false, reason: "expired" };
  return { ok: true, caller: record, version };
}
