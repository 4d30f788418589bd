import type { ChangePlace } from "../address-changes/read.ts";
import { changeFields, changesList, type Row } from "../address-changes/response.ts";
import { includedFields } from "../address-utxos/include.ts";
import { optional, simple } from "../codec.ts";
import type { Context } from "../operation.ts";
import { type Wallet, walletReader } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type WalletChange } from "./contract.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, Row, ChangePlace>(contract, context, {
    read: walletReader(context, "query"),

    ...changesList(context),

    entry: optional<Row, WalletChange>(
      { address: simple((row) => row.owner.named), ...changeFields(context.base) },
      includedFields,
    ),
  });

export const changes = { contract, reference, implement };
