import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { literal, object, plainText, tokenFields } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { type Values, type Wallet, walletReader } from "../parse.ts";
import { type Window, walk } from "../walk.ts";
import { contract, type HoldingEntry } from "./contract.ts";
import { type HoldingPlace, type HoldingRow, holdingsOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

type Selected = Omit<Values<typeof contract>, "address" | "pageSize" | "cursor"> & { address: Wallet };

/** The parts of a list of holdings, of one address or several. */
export const holdingsList = (context: Context) => ({
  rows({ address, ...filters }: Selected, window: Window<HoldingPlace>) {
    const addressKeys = address.all.map(({ key }) => key);
    return context.store.query(holdingsOfAddresses, { ...filters, ...window, addressKeys });
  },

  places: jsonPlaces<HoldingPlace>("holdings", 3),

  entry: object<HoldingRow, HoldingEntry>({
    ...tokenFields((row) => row.token, context.base),
    amount: plainText((row) => row.amount.toString()),
    capacity: plainText((row) => row.capacity.toString()),
    outputCount: literal((row) => row.outputCount),
    priceUsd: plainText(({ usd }) => (usd === null ? "" : toUnits(usd, PRICE_DECIMALS))),
    valueUsd: plainText(({ value }) => (value === null ? "" : toUnits(value, USD_DECIMALS))),
  }),
});

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, HoldingRow, HoldingPlace>(contract, context, {
    read: walletReader(context, "path"),

    ...holdingsList(context),
  });

export const addressHoldings = { contract, reference, implement };
