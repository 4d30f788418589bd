import type { ApiRequest, Reply } from "#lib/api/reply.ts";
import type { Service } from "#lib/api/service.ts";
import type { Source } from "#lib/client/receipts.ts";
import { PRICE_DECIMALS, toUnits } from "#lib/contract/amounts.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { contract as addressUtxos } from "#lib/questions/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { blockHashAt, blockHeader } from "#lib/questions/chain.ts";
import { priceAt } from "#lib/questions/prices.ts";
import { answerPageData, requireHash } from "./page-data.ts";

/**
 * `GET /sources`: what the figures of a row come from, for the row's receipt: of `block`, a hash, with the price that `asset` had at its
 * time; or of `height`, without a price. 404 if the block is not on the chain.
 */
export function answerSources(service: Service, request: ApiRequest): Promise<Reply> {
  const { store } = service;
  const search = new URLSearchParams(request.query);
  const [hash, height] = [search.get("block"), search.get("height")];
  const scope = hash === null ? addressUtxos.scope : blockAssetChanges.scope;
  return answerPageData(service, request, scope, async () => {
    const named = hash === null ? await store.ask(blockHashAt, heightOf(height)) : requireHash(hash);
    const block = named === null ? null : await store.ask(blockHeader, named);
    if (!block) throw new ApiError("NOT_FOUND");
    const asset = hash === null ? null : search.get("asset");
    const price = asset === null ? null : await store.ask(priceAt, { assetId: asset, time: block.timestamp });
    const body: Source = {
      block,
      price: price && { usd: toUnits(price.usd, PRICE_DECIMALS), time: price.time },
    };
    return { body };
  });
}

function heightOf(text: string | null): number {
  if (text === null || !/^\d{1,15}$/.test(text)) throw new ApiError("BAD_REQUEST");
  return Number(text);
}
