import { ApiError } from "#lib/contract/errors.ts";
import { literal, object, plainText, simple } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import { holdersAsOf, sharedHolders } from "../holders-as-of.ts";
import type { Context } from "../operation.ts";
import { walk } from "../walk.ts";
import { contract, type Holder } from "./contract.ts";
import type { HolderPlace } from "./read.ts";
import { reference } from "./reference.ts";

function implement(context: Context) {
  const shared = sharedHolders();
  return walk<typeof contract, object, Holder, HolderPlace>(contract, context, {
    places: jsonPlaces(contract.operationId),
    async rows(selected, window) {
      const page = await context.store.query(holdersAsOf, { ...selected, ...window, shared });
      if (!page) throw new ApiError("NOT_FOUND");
      return page;
    },
    entry: object({
      address: simple((row: Holder) => row.address),
      amount: plainText((row: Holder) => row.amount),
      capacity: plainText((row: Holder) => row.capacity),
      outputCount: literal((row: Holder) => row.outputCount),
    }),
  });
}

export const assetHolders = { contract, reference, implement };
