import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { type Codec, either, type Fields, literal, object, plainText, tokenInfo } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type StatementLine } from "./contract.ts";
import { type LinePlace, type LineRow, statementOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

/** A line, with its token if that was asked for. */
type ToldRow = LineRow & { isTold?: true };

type Extra = "tokenInfo" | "standard" | "priceUsd" | "valueUsd";
const fields: Fields<ToldRow, Omit<StatementLine, Extra>> = {
  height: literal((row) => row.height),
  blockHash: plainText((row) => row.blockHash),
  time: plainText((row) => new Date(row.time).toISOString()),
  token: plainText((row) => row.token.id),
  opening: plainText((row) => row.opening.toString()),
  in: plainText((row) => row.in.toString()),
  out: plainText((row) => row.out.toString()),
  closing: plainText((row) => row.closing.toString()),
};
const values = {
  priceUsd: plainText<ToldRow>(({ usd }) => (usd == null ? "" : toUnits(usd, PRICE_DECIMALS))),
  valueUsd: plainText<ToldRow>(({ value }) => (value == null ? "" : toUnits(value, USD_DECIMALS))),
};

function entryCodec(base: string): Codec<ToldRow, StatementLine> {
  const told = {
    tokenInfo: tokenInfo<ToldRow>((row) => row.token, base),
    standard: plainText<ToldRow>((row) => row.token.standard),
  };
  const of = (more: object): Codec<ToldRow, StatementLine> => object({ ...fields, ...more } as typeof fields);
  const codecs = [of({}), of(told), of(values), of({ ...told, ...values })];
  return either((row) => codecs[(row.isTold ? 1 : 0) + (row.usd === undefined ? 0 : 2)]!);
}

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, ToldRow, LinePlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async rows({ address, include, ...filters }, { after, limit, state }) {
      const query = { ...filters, addressKey: address.key, after, limit, state };
      const page = await context.store.ask(statementOfAddress, query);
      if (include === undefined) return page;
      return { ...page, rows: page.rows.map((row): ToldRow => ({ ...row, isTold: true })) };
    },

    places: jsonPlaces<LinePlace>("statement"),

    entry: entryCodec(context.base),
  });

export const addressStatement = { contract, reference, answer };
