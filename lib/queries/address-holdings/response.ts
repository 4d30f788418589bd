import type { Alike } from "#lib/contract/operation.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { literal, object, plainText, tokenFields } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { contract as ofSeveral } from "../holdings/contract.ts";
import type { Context } from "../operation.ts";
import { type Wallet, walletReader } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type HoldingEntry } from "./contract.ts";
import { type HoldingPlace, type HoldingRow, holdingsOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

type ListContract = Alike<typeof contract | typeof ofSeveral>;

/** Serves a list of holdings, of one address in the path or several in the query. */
export const listOf = (contract: ListContract, part: "path" | "query") => (context: Context) =>
  walk<ListContract, { address: Wallet }, HoldingRow, HoldingPlace>(contract, context, {
    places: jsonPlaces("holdings"),

    read: walletReader(context, part),

    rows({ address, ...filters }, window) {
      const addressKeys = address.all.map(({ key }) => key);
      return context.store.query(holdingsOfAddresses, { ...filters, ...window, addressKeys });
    },

    entry: object<HoldingRow, HoldingEntry>({
      ...tokenFields((row) => row.token, context.base),
      amount: plainText((row) => row.amount.toString()),
      capacity: plainText((row) => row.capacity.toString()),
      outputCount: literal((row) => row.outputCount),
      priceUsd: plainText(({ usd }) => (usd === null ? "" : toUnits(usd, PRICE_DECIMALS))),
      valueUsd: plainText(({ value }) => (value === null ? "" : toUnits(value, USD_DECIMALS))),
    }),
  });

export const addressHoldings = { contract, reference, implement: listOf(contract, "path") };
