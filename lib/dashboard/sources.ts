import type { Source } from "#lib/client/receipts.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import { priceAt } from "#lib/queries/prices.ts";
import { PRICE_DECIMALS, toUnits } from "#lib/util/amounts.ts";
import { pageData, requireHash, requireHeight } from "./page-data.ts";

/**
 * `GET /sources`: the block behind the figures of a row, by the hash `block` with the price of `asset` at its time, or by
 * `height` without a price. 404 if the block is not on the chain.
 */
export const handleSources = pageData(
  (search) => (search.has("block") ? blockAssetChanges : addressUtxos).scope,
  async ({ store }, search) => {
    const byHash = search.has("block");
    const hash = byHash
      ? requireHash(search.get("block"))
      : await store.query(blockHashAt, requireHeight(search.get("height")));
    const block = hash === null ? null : await store.query(blockHeader, hash);
    if (!block) throw new ApiError("NOT_FOUND");
    const assetId = byHash ? search.get("asset") : null;
    const price = assetId === null ? null : await store.query(priceAt, { assetId, time: block.timestamp });
    const body: Source = {
      block,
      price: price && { usd: toUnits(price.usd, PRICE_DECIMALS), time: price.time },
    };
    return { body };
  },
);
