import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  ACCESS_TOKEN_COLUMNS,
  type AccessTokenColumns,
  blockHashAt,
  saveState,
  storedCursorKey,
  toAccessToken,
} from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { AssetIcon, OperatorData } from "#lib/store/rows.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  all,
  type Bytes,
  type Connection,
  run,
  statement,
  statementWith,
  toBytes,
} from "#lib/store/statement.ts";
import type { Store } from "#lib/store/store.ts";
import { createAccessToken } from "./access-tokens.ts";

const TOKENS = statement(`SELECT ${ACCESS_TOKEN_COLUMNS}, hash FROM access_tokens ORDER BY created_at, id`);
const REGISTRY = statement("SELECT entry FROM registry ORDER BY asset_id");
const ICONS = statement(`SELECT asset_id AS "assetId", picture, etag FROM icons ORDER BY asset_id`);
const ABANDONED = statement(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, ${sql.hex("parent_hash")} AS "parentHash"
   FROM abandoned_blocks ORDER BY abandoned_blocks.height, abandoned_blocks.hash`,
);

/** The operator data of a store that `openStore` opened, which therefore has a key for cursors. */
export const operatorData: Query<void, OperatorData> = {
  effort: "long",
  *read(db) {
    const tokens = yield* all<AccessTokenColumns & { hash: Bytes }>(db, TOKENS);
    const registry = yield* all<{ entry: string }>(db, REGISTRY);
    const icons = yield* all<AssetIcon & { picture: Bytes }>(db, ICONS);
    return {
      cursorKey: (yield* storedCursorKey(db))!,
      accessTokens: tokens.map((row) => ({ ...toAccessToken(row), hash: toBytes(row.hash) })),
      registry: registry.map((row) => JSON.parse(row.entry) as RegistryEntry),
      icons: icons.map((icon) => ({ ...icon, picture: toBytes(icon.picture) })),
      abandonedBlocks: yield* all<OperatorData["abandonedBlocks"][number]>(db, ABANDONED),
    };
  },
};

const REGISTERED = statement("SELECT asset_id AS id FROM registry ORDER BY asset_id");

/** Ids of the assets in the registry, in order. */
export const registeredIds: Query<void, string[]> = {
  effort: "scan",
  from: "primary",
  *read(db) {
    return (yield* all<{ id: string }>(db, REGISTERED)).map(({ id }) => id);
  },
};

const REPLACE_CURSOR_KEY = saveState("cursor-key");
const MERGE_ACCESS_TOKEN = statementWith(["hash", "revokedAt", "expiresAt"])(
  // Keeps the earlier revocation and the earlier expiry of both sides.
  `UPDATE access_tokens
   SET revoked_at = CASE WHEN revoked_at <= CAST($revokedAt AS bigint) THEN revoked_at
                         ELSE coalesce(CAST($revokedAt AS bigint), revoked_at) END,
     expires_at = CASE WHEN expires_at <= CAST($expiresAt AS bigint) THEN expires_at
                       ELSE coalesce(CAST($expiresAt AS bigint), expires_at) END
   WHERE hash = $hash`,
);
const CLEAR_ABANDONED = ["abandoned_blocks", "abandoned_touches"].map((table) =>
  statement(`DELETE FROM ${table}`),
);
const INSERT_ABANDONED = statementWith(["hash", "height", "parentHash"])(
  "INSERT INTO abandoned_blocks (hash, height, parent_hash) VALUES ($hash, $height, $parentHash)",
);

function* adoptRecords(db: Connection, data: OperatorData): Steps<void> {
  yield* run(db, REPLACE_CURSOR_KEY({ value: Buffer.from(data.cursorKey).toString("hex") }));
  for (const token of data.accessTokens) {
    const merged = yield* run(db, MERGE_ACCESS_TOKEN(token));
    if (merged === 0) yield* createAccessToken(db, token);
  }
  for (const query of CLEAR_ABANDONED) yield* run(db, query);
  for (const { hash, height, parentHash } of data.abandonedBlocks) {
    // The source may have abandoned a block that was copied earlier.
    if ((yield* blockHashAt(db, height)) === hash) continue;
    yield* run(db, INSERT_ABANDONED({ hash: toBytes(hash), height, parentHash: toBytes(parentHash) }));
  }
}

/** Replaces a store's operator data with another's. Access tokens are merged; the earlier revocation and expiry win. */
export function adoptOperatorData(store: Store, data: OperatorData): Promise<void> {
  return store.atomically(async () => {
    await store.record(adoptRecords, data);
    await store.write(replaceRegistry, data.registry, data.icons);
  });
}
