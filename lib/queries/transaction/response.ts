import type { AssetAmounts } from "../block-transactions.ts";
import { list, literal, object, plainText, tokenFields } from "../codec.ts";
import { type Context, direct } from "../operation.ts";
import { blockHeaders } from "../walk.ts";
import { contract, MAX_ASSETS, type Transaction, type TransactionAsset } from "./contract.ts";
import { type TransactionPage, transactionOf } from "./read.ts";
import { reference } from "./reference.ts";

/** An asset of a transaction. */
type Row = AssetAmounts & { isWhole: boolean };

const difference = (more: bigint, less: bigint) => String(more > less ? more - less : 0n);

const implement = ({ store, base }: Context) =>
  direct<typeof contract, TransactionPage>(contract, {
    query: ({ hash }) => store.query(transactionOf, { hash, assets: MAX_ASSETS }),
    headers: ({ tip, block }) => blockHeaders({ tip, asOf: block }),
    codec: object<TransactionPage, Transaction>({
      hash: plainText((page) => page.hash),
      blockHeight: literal((page) => page.block.height),
      blockHash: plainText((page) => page.block.hash),
      blockTime: plainText((page) => new Date(page.block.timestamp).toISOString()),
      index: literal((page) => page.index),
      fee: plainText(({ fee }) => (fee === null ? "" : String(fee))),
      inputCount: literal((page) => page.inputs),
      outputCount: literal((page) => page.outputs),
      assets: list(
        ({ moved, isWhole }) => moved.map((asset): Row => ({ ...asset, isWhole })),
        object<Row, TransactionAsset>({
          ...tokenFields((row) => row.token, base),
          in: plainText((row) => (row.isWhole ? String(row.in) : "")),
          out: plainText((row) => String(row.out)),
          minted: plainText((row) => (row.isWhole ? difference(row.out, row.in) : "")),
          burnt: plainText((row) => (row.isWhole ? difference(row.in, row.out) : "")),
        }),
      ),
      moreAssets: literal((page) => page.more),
    }),
  });

export const transaction = { contract, reference, implement };
