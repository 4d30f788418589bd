/**
 * The one list of the API's operations, by their names in the code. The router, OpenAPI, the reference page, MCP, the browser's
 * client, the log and the metrics are built from it.
 */
import { addressChanges } from "./address-changes/response.ts";
import { addressHoldings } from "./address-holdings/response.ts";
import { addressStatement } from "./address-statement/response.ts";
import { addressUtxos } from "./address-utxos/response.ts";
import { asset } from "./asset/response.ts";
import { assetHolders } from "./asset-holders/response.ts";
import { assets } from "./assets/response.ts";
import { blockAssetChanges } from "./block-asset-changes/response.ts";
import { rangeAssetChanges } from "./range-asset-changes/response.ts";
import { utxos } from "./utxos/response.ts";

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
