import {
  ACCESS_TOKEN_COLUMNS,
  type AccessTokenColumns,
  accessTokenByHash as byHash,
  storedCursorKey,
  toAccessToken,
} from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { AccessToken, TokenUses } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Connection, run, statement, statementWith } from "#lib/store/statement.ts";
import { aqs } from "#lib/util/program.ts";

/** The access token with this SHA-256; null if there is none. */
export const accessTokenByHash: Query<Uint8Array, AccessToken | null> = {
  effort: "look-up",
  from: "primary",
  read: byHash,
};

export interface ListedToken extends AccessToken {
  /** Milliseconds since the Unix epoch; null if no use was noted. */
  lastUsedAt: number | null;
}

const ACCESS_TOKENS = statement(
  `SELECT ${ACCESS_TOKEN_COLUMNS}, last_used_at AS "lastUsedAt" FROM access_tokens ORDER BY created_at, id`,
);

/** All access tokens, the oldest first. */
export const listedTokens: Query<void, ListedToken[]> = {
  effort: "scan",
  from: "primary",
  *read(db) {
    type Row = AccessTokenColumns & Pick<ListedToken, "lastUsedAt">;
    return (yield* all<Row>(db, ACCESS_TOKENS)).map(toAccessToken);
  },
};

/** The key that signs cursors. `openStore` makes it; throws an Error if there is none. */
export const cursorKey: Query<void, Uint8Array> = {
  effort: "look-up",
  from: "primary",
  *read(db) {
    const stored = yield* storedCursorKey(db);
    if (stored) return stored;
    throw new Error(`The database has no key for cursors yet: run \`${aqs("migrate")}\``);
  },
};

const INSERT_ACCESS_TOKEN = statementWith([
  "hash",
  "id",
  "name",
  "scopes",
  "hint",
  "createdAt",
  "expiresAt",
  "revokedAt",
  "ratePerMinute",
])(
  `INSERT INTO access_tokens
     (hash, id, name, scopes, hint, created_at, expires_at, revoked_at, rate_per_minute)
   VALUES ($hash, $id, $name, $scopes, $hint, $createdAt, $expiresAt, $revokedAt, $ratePerMinute)`,
);
const NOTE_TOKEN_USE = statementWith(["id", "at"])(
  "UPDATE access_tokens SET last_used_at = $at WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $at)",
);
const REVOKE_ACCESS_TOKEN = statementWith(["id", "at"])(
  "UPDATE access_tokens SET revoked_at = CASE WHEN revoked_at < $at THEN revoked_at ELSE $at END WHERE id = $id",
);

/** Notes when tokens were last used; keeps a later time. */
export function* noteTokenUses(db: Connection, uses: TokenUses): Steps<void> {
  for (const [id, at] of uses) yield* run(db, NOTE_TOKEN_USE({ id, at }));
}

export function* createAccessToken(db: Connection, token: AccessToken & { hash: Uint8Array }): Steps<void> {
  yield* run(db, INSERT_ACCESS_TOKEN({ ...token, scopes: JSON.stringify(token.scopes) }));
}

/** Revokes a token at a time, which may be in the future; keeps an earlier one. False if no token has this id. */
export function* revokeAccessToken(db: Connection, id: string, at: number): Steps<boolean> {
  return (yield* run(db, REVOKE_ACCESS_TOKEN({ id, at }))) === 1;
}
