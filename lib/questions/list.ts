/**
 * Every operation of the API, by the name that the code has for it: the one list of them. The router, OpenAPI, the reference
 * page, MCP, the browser's client, the log and the metrics are made of it or typed by it.
 */
import { addressChanges } from "./address-changes/answer.ts";
import { addressHoldings } from "./address-holdings/answer.ts";
import { addressStatement } from "./address-statement/answer.ts";
import { addressUtxos } from "./address-utxos/answer.ts";
import { asset } from "./asset/answer.ts";
import { assetHolders } from "./asset-holders/answer.ts";
import { assets } from "./assets/answer.ts";
import { blockAssetChanges } from "./block-asset-changes/answer.ts";
import { rangeAssetChanges } from "./range-asset-changes/answer.ts";
import { utxos } from "./utxos/answer.ts";

export const operations = {
  addressUtxos,
  addressChanges,
  addressHoldings,
  addressStatement,
  utxos,
  blockAssetChanges,
  rangeAssetChanges,
  assets,
  asset,
  assetHolders,
} as const;
export type OperationName = keyof typeof operations;
export type ContractOf<Name extends OperationName> = (typeof operations)[Name]["contract"];
export const operationNames = Object.keys(operations) as OperationName[];
