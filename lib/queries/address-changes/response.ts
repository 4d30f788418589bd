import type { Address } from "#lib/contract/ledger.ts";
import { type IncludedRow, includedFields, outputFields, withIncluded } from "../address-utxos/include.ts";
import { literal, optional, plainText, simple } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { type AddressChange, contract } from "./contract.ts";
import { type ChangePlace, type ChangeRow, changesOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Address }, ChangeRow & IncludedRow, ChangePlace>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async rows({ address, include, value, ...filters }, window) {
      const query = { ...filters, ...window, addressKey: address.key };
      const page = await context.store.query(changesOfAddress, query);
      return withIncluded(context.store, page, { include, value }, () => address);
    },

    places: jsonPlaces<ChangePlace>("changes"),

    entry: optional<ChangeRow & IncludedRow, AddressChange>(
      {
        ...outputFields(context.base),
        change: simple((row) => row.change),
        changeHeight: literal((row) => row.changeHeight),
        changeTransaction: plainText((row) => row.changeTransaction),
      },
      includedFields,
    ),
  });

export const addressChanges = { contract, reference, implement };
