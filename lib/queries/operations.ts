/** The API's operations. Router, OpenAPI, reference page, MCP, browser client, log and metrics are built from this list. */
import { addressChanges } from "./address-changes/response.ts";
import { addressHoldings } from "./address-holdings/response.ts";
import { addressStatement } from "./address-statement/response.ts";
import { addressUtxos } from "./address-utxos/response.ts";
import { asset } from "./asset/response.ts";
import { assetHolders } from "./asset-holders/response.ts";
import { assets } from "./assets/response.ts";
import { block } from "./block/response.ts";
import { blockAssetChanges } from "./block-asset-changes/response.ts";
import { blocks } from "./blocks/response.ts";
import { changes } from "./changes/response.ts";
import { holdings } from "./holdings/response.ts";
import { output } from "./output/response.ts";
import { rangeAssetChanges } from "./range-asset-changes/response.ts";
import { statement } from "./statement/response.ts";
import { transaction } from "./transaction/response.ts";
import { transactionInputs } from "./transaction-inputs/response.ts";
import { transactionOutputs } from "./transaction-outputs/response.ts";
import { utxos } from "./utxos/response.ts";

export const operations = {
  addressUtxos,
  addressChanges,
  addressHoldings,
  addressStatement,
  utxos,
  block,
  blocks,
  changes,
  holdings,
  statement,
  transaction,
  transactionInputs,
  transactionOutputs,
  output,
  blockAssetChanges,
  rangeAssetChanges,
  assets,
  asset,
  assetHolders,
} as const;
export type OperationName = keyof typeof operations;
export type ContractOf<Name extends OperationName> = (typeof operations)[Name]["contract"];
export const operationNames = Object.keys(operations) as OperationName[];
