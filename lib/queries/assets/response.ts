import { PRICE_DECIMALS, toUnits } from "#lib/util/amounts.ts";
import { type Fields, literal, object, plainText, simple, tokenInfo } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { walk } from "../walk.ts";
import { type AssetEntry, contract } from "./contract.ts";
import { type AssetDetails, type AssetPlace, assetPage } from "./read.ts";
import { reference } from "./reference.ts";

export const assetFields = (base: string): Fields<AssetDetails, AssetEntry> => ({
  token: plainText(({ token }) => token.id),
  tokenInfo: tokenInfo(({ token }) => token, base),
  standard: simple(({ token }) => token.standard),
  tags: simple(({ tags }) => tags),
  holderCount: literal(({ holderCount }) => holderCount),
  outputCount: literal(({ outputCount }) => outputCount),
  priceUsd: plainText(({ price }) => (price === null ? "" : toUnits(price, PRICE_DECIMALS))),
  resembles: plainText(({ resembles }) => resembles),
});

const implement = (context: Context) =>
  walk<typeof contract, object, AssetDetails, AssetPlace>(contract, context, {
    places: jsonPlaces(contract.operationId),
    rows: (selected, window) => context.store.query(assetPage, { ...selected, ...window }),
    entry: object(assetFields(context.base)),
  });

export const assets = { contract, reference, implement };
