import { createHash } from "node:crypto";
import type { Query } from "#lib/store/query.ts";
import type { AssetIcon } from "#lib/store/rows.ts";
import { type Bytes, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { hasNul } from "./tokens.ts";

/** The `AssetIcon.etag` of a picture. */
export const iconEtag = (picture: Uint8Array): string =>
  `"${createHash("sha256").update(picture).digest("base64url").slice(0, 22)}"`;

const ICON = statementWith(["assetId"])("SELECT picture, etag FROM icons WHERE asset_id = $assetId");

/** The picture of the asset with this id; null if none is stored. */
export const assetIcon: Query<string, Pick<AssetIcon, "picture" | "etag"> | null> = {
  effort: "look-up",
  *read(db, assetId) {
    if (hasNul(assetId)) return null;
    const row = yield* first<{ picture: Bytes; etag: string }>(db, ICON({ assetId }));
    return row ? { picture: toBytes(row.picture), etag: row.etag } : null;
  },
};
