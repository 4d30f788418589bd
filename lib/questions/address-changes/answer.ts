import type { Address } from "#lib/contract/ledger.ts";
import { outputFields } from "../address-utxos/answer.ts";
import { literal, object, plainText, simple } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { type AddressChange, contract } from "./contract.ts";
import { type ChangePlace, type ChangeRow, changesOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, ChangeRow, ChangePlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    rows({ address, ...filters }, { after, limit, state }) {
      return context.store.ask(changesOfAddress, {
        ...filters,
        addressKey: address.key,
        after,
        limit,
        state,
      });
    },

    places: jsonPlaces<ChangePlace>("changes"),

    entry: object<ChangeRow, AddressChange>({
      ...outputFields(context.base),
      change: simple((row) => row.change),
      changeHeight: literal((row) => row.changeHeight),
      changeTransaction: plainText((row) => row.changeTransaction),
    }),
  });

export const addressChanges = { contract, reference, answer };
