import type { Address } from "#lib/contract/ledger.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { type Codec, type Fields, literal, optional, plainText, tokenInfo } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type StatementLine } from "./contract.ts";
import { type LinePlace, type LineRow, statementOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

/** A line; `hasTokenInfo` if the request includes its token. */
type Row = LineRow & { hasTokenInfo?: true };

function entryCodec(base: string): Codec<Row, StatementLine> {
  const fields: Fields<Row, StatementLine> = {
    height: literal((row) => row.height),
    blockHash: plainText((row) => row.blockHash),
    time: plainText((row) => new Date(row.time).toISOString()),
    token: plainText((row) => row.token.id),
    opening: plainText((row) => row.opening.toString()),
    in: plainText((row) => row.in.toString()),
    out: plainText((row) => row.out.toString()),
    closing: plainText((row) => row.closing.toString()),
    tokenInfo: tokenInfo((row) => row.token, base),
    standard: plainText((row) => row.token.standard),
    priceUsd: plainText(({ usd }) => (usd == null ? "" : toUnits(usd, PRICE_DECIMALS))),
    valueUsd: plainText(({ value }) => (value == null ? "" : toUnits(value, USD_DECIMALS))),
  };
  return optional(fields, [
    { has: (row) => row.hasTokenInfo === true, names: ["tokenInfo", "standard"] },
    { has: (row) => row.usd !== undefined, names: ["priceUsd", "valueUsd"] },
  ]);
}

const implement = (context: Context) =>
  walk<typeof contract, { address: Address }, Row, LinePlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async rows({ address, include, ...filters }, window) {
      const query = { ...filters, ...window, addressKey: address.key };
      const page = await context.store.query(statementOfAddress, query);
      if (!include.includes("token")) return page;
      return { ...page, rows: page.rows.map((row): Row => ({ ...row, hasTokenInfo: true })) };
    },

    places: jsonPlaces<LinePlace>("statement"),

    entry: entryCodec(context.base),
  });

export const addressStatement = { contract, reference, implement };
