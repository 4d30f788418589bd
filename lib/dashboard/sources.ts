import type { Source } from "#lib/client/receipts.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import { priceAt } from "#lib/queries/prices.ts";
import { PRICE_DECIMALS, toUnits } from "#lib/util/amounts.ts";
import { pageData, requireHash, requireHeight } from "./page-data.ts";

/** `GET /sources`: a block by hash (`block`, with a price of `asset`) or `height`; 404 if it is not canonical. */
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
