import type { Address } from "#lib/contract/ledger.ts";
import { placeOf } from "../chain.ts";
import { optional } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type UtxoEntry } from "./contract.ts";
import { type IncludedRow, includedFields, outputFields, withIncluded } from "./include.ts";
import { utxosOfAddress } from "./read.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Address }, IncludedRow>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async start({ after: outPoint, cursor }, issues) {
      if (outPoint === undefined) return undefined;
      const place = await context.store.query(placeOf, outPoint);
      if (place && !cursor) return place;
      const message = place ? "Give either a cursor or an out point" : "No indexed block has this output";
      issues.push({ path: ["query", "after"], code: "invalid_out_point", message });
    },

    async rows({ address, include, value, ...filters }, window) {
      const query = { ...filters, ...window, addressKey: address.key };
      const page = await context.store.query(utxosOfAddress, query);
      return withIncluded(context.store, page, { include, value }, () => address);
    },

    entry: optional<IncludedRow, UtxoEntry>(outputFields(context.base), includedFields),
  });

export const addressUtxos = { contract, reference, implement };
