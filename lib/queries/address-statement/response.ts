import type { Alike } from "#lib/contract/operation.ts";
import { heightOf } from "#lib/store/transaction-id.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { type Codec, type Fields, literal, optional, plainText, tokenInfo } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { type Wallet, walletReader } from "../parse.ts";
import type { contract as ofSeveral } from "../statement/contract.ts";
import type { LineRow } from "../statement-lines.ts";
import { walk } from "../walk.ts";
import { contract, type StatementLine } from "./contract.ts";
import { type LinePlace, statementOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

/** A line; `hasTokenInfo` if the request includes its token. */
type Row = LineRow & { hasTokenInfo?: true };

function entryCodec(base: string): Codec<Row, StatementLine> {
  const fields: Fields<Row, StatementLine> = {
    height: literal((row) => heightOf(row.id)),
    blockHash: plainText((row) => row.blockHash),
    transaction: plainText((row) => row.transaction ?? ""),
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
    { has: (row) => row.transaction !== undefined, names: ["transaction"] },
    { has: (row) => row.usd !== undefined, names: ["priceUsd", "valueUsd"] },
  ]);
}

type ListContract = Alike<typeof contract | typeof ofSeveral>;

/** Serves a statement, of one address in the path or several in the query. */
export const listOf = (contract: ListContract, part: "path" | "query") => (context: Context) =>
  walk<ListContract, { address: Wallet }, Row, LinePlace>(contract, context, {
    places: jsonPlaces("statement"),

    read: walletReader(context, part),

    async rows({ address, include, ...filters }, window) {
      const query = { ...filters, ...window, addressKeys: address.all.map(({ key }) => key) };
      const page = await context.store.query(statementOfAddresses, query);
      if (!include.includes("token")) return page;
      return { ...page, rows: page.rows.map((row): Row => ({ ...row, hasTokenInfo: true })) };
    },

    entry: entryCodec(context.base),
  });

export const addressStatement = { contract, reference, implement: listOf(contract, "path") };
