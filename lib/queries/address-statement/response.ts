import { heightOf } from "#lib/store/transaction-id.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { type Codec, type Fields, literal, optional, plainText, tokenInfo } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { type Values, type Wallet, walletReader } from "../parse.ts";
import { type Window, walk } from "../walk.ts";
import { contract, type StatementLine } from "./contract.ts";
import { type LinePlace, type LineRow, statementOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

/** A line; `hasTokenInfo` if the request includes its token. */
export type Row = LineRow & { hasTokenInfo?: true };

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

type Selected = Omit<Values<typeof contract>, "address" | "pageSize" | "cursor"> & { address: Wallet };

/** The parts of a statement, of one address or several. */
export const statementList = (context: Context) => ({
  async rows({ address, include, ...filters }: Selected, window: Window<LinePlace>) {
    const query = { ...filters, ...window, addressKeys: address.all.map(({ key }) => key) };
    const page = await context.store.query(statementOfAddresses, query);
    if (!include.includes("token")) return page;
    return { ...page, rows: page.rows.map((row): Row => ({ ...row, hasTokenInfo: true })) };
  },

  places: jsonPlaces<LinePlace>("statement"),

  entry: entryCodec(context.base),
});

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, Row, LinePlace>(contract, context, {
    read: walletReader(context, "path"),

    ...statementList(context),
  });

export const addressStatement = { contract, reference, implement };
