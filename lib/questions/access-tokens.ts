import { aqs } from "#lib/contract/program.ts";
import {
  ACCESS_TOKEN_COLUMNS,
  type AccessTokenColumns,
  accessTokenByHash as byHash,
  storedCursorKey,
  toAccessToken,
} from "#lib/store/common-queries.ts";
import type { Question } from "#lib/store/question.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Connection, statement } from "#lib/store/statement.ts";
import type { AccessToken, TokenUses } from "#lib/store/store.ts";

/** By the SHA-256 of the token; null if no token has it. */
export const accessTokenByHash: Question<Uint8Array, AccessToken | null> = {
  effort: "look-up",
  from: "primary",
  read: byHash,
};

export interface ListedToken extends AccessToken {
  /** Null if no use was noted. */
  lastUsedAt: number | null;
}

const ACCESS_TOKENS = statement(
  `SELECT ${ACCESS_TOKEN_COLUMNS}, last_used_at AS "lastUsedAt" FROM access_tokens ORDER BY created_at, id`,
);

/** Oldest first. */
export const listedTokens: Question<void, ListedToken[]> = {
  effort: "scan",
  from: "primary",
  *read(db) {
    type Row = AccessTokenColumns & Pick<ListedToken, "lastUsedAt">;
    return (yield* all<Row>(db, ACCESS_TOKENS)).map(toAccessToken);
  },
};

/** The key that signs cursors. Throws an Error if there is none: `openStore` makes it. */
export const cursorKey: Question<void, Uint8Array> = {
  effort: "look-up",
  from: "primary",
  *read(db) {
    const stored = yield* storedCursorKey(db);
    if (stored) return stored;
    throw new Error(`The database has no key for cursors yet: run \`${aqs("migrate")}\``);
  },
};

// --- what is written, with `store.record` or `store.note` --------------------------------------------------

const INSERT_ACCESS_TOKEN = statement(
  `INSERT INTO access_tokens
     (hash, id, name, scopes, hint, created_at, expires_at, revoked_at, rate_per_minute)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const NOTE_TOKEN_USE = statement(
  "UPDATE access_tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
);
const REVOKE_ACCESS_TOKEN = statement(
  "UPDATE access_tokens SET revoked_at = CASE WHEN revoked_at < $2 THEN revoked_at ELSE $2 END WHERE id = $1",
);

/** Notes when tokens were used last; a later time stays. */
export function* noteTokenUses(db: Connection, uses: TokenUses): Steps<void> {
  for (const [id, at] of uses) yield* done(db.run(NOTE_TOKEN_USE, id, at));
}

export function* createAccessToken(db: Connection, token: AccessToken & { hash: Uint8Array }): Steps<void> {
  const { hash, id, name, scopes, hint, createdAt, expiresAt, revokedAt, ratePerMinute } = token;
  const times = [createdAt, expiresAt, revokedAt];
  const values = [hash, id, name, JSON.stringify(scopes), hint, ...times, ratePerMinute];
  yield* done(db.run(INSERT_ACCESS_TOKEN, ...values));
}

/** Revokes a token from a time on, which may be to come; an earlier one stays. False if no token has this id. */
export function* revokeAccessToken(db: Connection, id: string, at: number): Steps<boolean> {
  return (yield* done(db.run(REVOKE_ACCESS_TOKEN, id, at))) === 1;
}
