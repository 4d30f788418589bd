import type { Address } from "#lib/contract/ledger.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { literal, object, plainText, tokenFields } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type HoldingEntry } from "./contract.ts";
import { type HoldingPlace, type HoldingRow, holdingsOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Address }, HoldingRow, HoldingPlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    rows: ({ address, ...filters }, window) =>
      context.store.query(holdingsOfAddress, { ...filters, ...window, addressKey: address.key }),

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

export const addressHoldings = { contract, reference, implement };
