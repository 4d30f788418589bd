import { serverIsBusy } from "#lib/contract/errors.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { Price, Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { headerOf } from "./named-block.ts";
import { inPieces } from "./pieces.ts";
import { hasNul } from "./tokens.ts";

export interface PriceAt {
  /** US dollars for one whole token, scaled by 10^18. */
  usd: string;
  /** Start of its validity, in milliseconds since the Unix epoch. */
  time: number;
}

const LATEST_PRICES = statementWith(["assetId", "time", "limit"])(
  `SELECT CAST(usd AS TEXT) AS usd, time FROM prices WHERE asset_id = $assetId AND time <= $time
   ORDER BY time DESC LIMIT CAST($limit AS bigint)`,
);

/** The newest prices of an asset up to a time in milliseconds since the Unix epoch, the oldest first. */
export const latestPrices: Query<{ assetId: string; time: number; limit: number }, PriceAt[]> = {
  effort: "look-up",
  *read(db, { assetId, time, limit }) {
    if (hasNul(assetId)) return [];
    return (yield* all<PriceAt>(db, LATEST_PRICES({ assetId, time, limit }))).toReversed();
  },
};

/** The price in force at a time in milliseconds since the Unix epoch; null if the asset had none. */
export const priceAt: Query<{ assetId: string; time: number }, PriceAt | null> = {
  effort: "look-up",
  *read(db, { assetId, time }) {
    const [price] = yield* latestPrices.read(db, { assetId, time, limit: 1 });
    return price ? { usd: price.usd, time: price.time } : null;
  },
};

/** `$wanted`: JSON array of texts, each a time of 16 digits and an asset's id. */
const PRICES_AT_TIMES = statementWith(["wanted"])((sql) => {
  const asset = "substr(wanted.value, 17)";
  return `SELECT wanted.value AS wanted, CAST(p.usd AS TEXT) AS usd
   FROM ${sql.texts("$wanted", "wanted")} JOIN prices p ON p.asset_id = ${asset} AND p.time =
     (SELECT time FROM prices WHERE asset_id = ${asset} AND time <= CAST(substr(wanted.value, 1, 16) AS bigint)
      ORDER BY time DESC LIMIT 1)`;
});
type AssetTime = { assetId: string; time: number };

/** Prices of assets at times, in US dollars scaled by 10^18; null without a price by then. */
export function* pricesAtTimes(db: Reader, wanted: AssetTime[]): Steps<(wanted: AssetTime) => bigint | null> {
  const textOf = ({ assetId, time }: AssetTime) => `${String(time).padStart(16, "0")}${assetId}`;
  const texts = [...new Set(wanted.map(textOf))];
  const rows = yield* inPieces(db, texts, (piece) =>
    all<{ wanted: string; usd: string }>(db, PRICES_AT_TIMES({ wanted: JSON.stringify(piece) })),
  );
  const prices = new Map(rows.map(({ wanted, usd }) => [wanted, BigInt(usd)]));
  return (one) => prices.get(textOf(one)) ?? null;
}

/** Prices as of a block's time, by asset id, where there is one. Throws SERVICE_UNAVAILABLE if the block is not canonical. */
export const pricesAsOf: Query<{ assetIds: string[]; block: Tip }, ReadonlyMap<string, bigint>> = {
  effort: "snapshot",
  *read(db, { assetIds, block }) {
    const header = yield* headerOf(db, block.hash);
    if (!header) throw serverIsBusy();
    const wanted = assetIds.map((assetId) => ({ assetId, time: header.timestamp }));
    const priceOf = yield* pricesAtTimes(db, wanted);
    return new Map(
      wanted.flatMap((one) => {
        const usd = priceOf(one);
        return usd === null ? [] : [[one.assetId, usd]];
      }),
    );
  },
};

const PRICES_AFTER = statementWith(["assetId", "time", "limit"])(
  `SELECT asset_id AS "assetId", time, usd FROM prices WHERE (asset_id, time) > ($assetId, $time)
   ORDER BY asset_id, time LIMIT CAST($limit AS bigint)`,
);

/** Prices in order of asset and time, after the given one. */
export const pricesAfter: Query<{ price: { assetId: string; time: number } | null; limit: number }, Price[]> =
  {
    effort: "scan",
    from: "primary",
    *read(db, { price, limit }) {
      const { assetId, time } = price ?? { assetId: "", time: 0 };
      const after = PRICES_AFTER({ assetId, time, limit });
      const rows = yield* all<Omit<Price, "usd"> & { usd: string }>(db, after);
      return rows.map((row) => ({ ...row, usd: BigInt(row.usd) }));
    },
  };
