import type { Question } from "#lib/store/question.ts";
import { all, first, statement } from "#lib/store/statement.ts";
import type { Price } from "#lib/store/store.ts";
import { hasNul } from "./tokens.ts";

/** A price that was in force. */
export interface PriceAt {
  /** US dollars for one whole token, scaled by 10^18. */
  usd: string;
  /** Milliseconds since the Unix epoch: in force from then on. */
  time: number;
}

const PRICE_AT = statement(
  "price-at",
  `SELECT CAST(usd AS TEXT) AS usd, time FROM prices WHERE asset_id = $1 AND time <= $2
   ORDER BY time DESC LIMIT 1`,
);

/** The price in force at a time, in milliseconds since the Unix epoch; null if the asset had none. */
export const priceAt: Question<{ assetId: string; time: number }, PriceAt | null> = {
  effort: "look-up",
  *read(db, { assetId, time }) {
    if (hasNul(assetId)) return null;
    const row = yield* first<PriceAt>(db, PRICE_AT, assetId, time);
    return row ? { usd: row.usd, time: row.time } : null;
  },
};

const PRICES_AFTER = statement(
  "prices-after",
  `SELECT asset_id, time, usd FROM prices WHERE (asset_id, time) > ($1, $2)
   ORDER BY asset_id, time LIMIT CAST($3 AS bigint)`,
);

/** Prices in order of asset and time, after the given one. */
export const pricesAfter: Question<
  { price: { assetId: string; time: number } | null; limit: number },
  Price[]
> = {
  effort: "scan",
  from: "primary",
  *read(db, { price, limit }) {
    const after = [price?.assetId ?? "", price?.time ?? 0] as const;
    const rows = yield* all<{ asset_id: string; time: number; usd: string }>(
      db,
      PRICES_AFTER,
      ...after,
      limit,
    );
    return rows.map((row) => ({ assetId: row.asset_id, time: row.time, usd: BigInt(row.usd) }));
  },
};
