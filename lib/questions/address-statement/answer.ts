import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { type Codec, either, type Fields, literal, object, plainText } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type StatementLine } from "./contract.ts";
import { type LinePlace, type LineRow, statementOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

const fields: Fields<LineRow, Omit<StatementLine, "priceUsd" | "valueUsd">> = {
  height: literal((row) => row.height),
  blockHash: plainText((row) => row.blockHash),
  time: plainText((row) => new Date(row.time).toISOString()),
  token: plainText((row) => row.token.id),
  opening: plainText((row) => row.opening.toString()),
  in: plainText((row) => row.in.toString()),
  out: plainText((row) => row.out.toString()),
  closing: plainText((row) => row.closing.toString()),
};
const plain: Codec<LineRow, StatementLine> = object(fields);
const valued = object<LineRow, StatementLine>({
  ...fields,
  priceUsd: plainText(({ usd }) => (usd == null ? "" : toUnits(usd, PRICE_DECIMALS))),
  valueUsd: plainText(({ value }) => (value == null ? "" : toUnits(value, USD_DECIMALS))),
});
const entry = either((row: LineRow) => (row.usd === undefined ? plain : valued));

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, LineRow, LinePlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    rows({ address, ...filters }, { after, limit }) {
      return context.store.ask(statementOfAddress, { ...filters, addressKey: address.key, after, limit });
    },

    entry,
  });

/** What each block brought to an address and took from it, by token. */
export const addressStatement = { contract, reference, answer };
