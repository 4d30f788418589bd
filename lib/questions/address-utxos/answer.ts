import type { Address } from "#lib/contract/ledger.ts";
import { placeOf } from "../chain.ts";
import { optional } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type UtxoEntry } from "./contract.ts";
import { utxosOfAddress } from "./read.ts";
import { reference } from "./reference.ts";
import { askedFor, outputFields, type ToldRow, tell } from "./told.ts";

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, ToldRow>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async start({ after: outPoint, cursor }, issues) {
      if (outPoint === undefined) return undefined;
      const place = await context.store.ask(placeOf, outPoint);
      if (place && !cursor) return place;
      const message = place ? "Give either a cursor or an out point" : "No indexed block has this output";
      issues.push({ path: ["query", "after"], code: "invalid_out_point", message });
    },

    async rows({ address, include, value, ...filters }, { after, limit, state: known }) {
      const query = { ...filters, addressKey: address.key, after, limit, state: known };
      const page = await context.store.ask(utxosOfAddress, query);
      return tell(context.store, page, { include, value }, () => address);
    },

    entry: optional<ToldRow, UtxoEntry>(outputFields(context.base), askedFor),
  });

export const addressUtxos = { contract, reference, answer };
