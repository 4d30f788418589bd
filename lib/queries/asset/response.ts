import { ApiError } from "#lib/contract/errors.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { type AssetDetails, assetById } from "../assets/read.ts";
import { assetFields } from "../assets/response.ts";
import { object } from "../codec.ts";
import { type Context, direct } from "../operation.ts";
import { blockHeaders } from "../walk.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

type Page = { tip: IndexTip | null; asset: AssetDetails };

function implement({ store, base }: Context) {
  const entry = object(assetFields(base));
  return direct<typeof contract, Page>(contract, {
    async query({ id }) {
      const found = await store.query(assetById, id);
      if (!found) throw new ApiError("NOT_FOUND");
      return found;
    },
    headers: blockHeaders,
    codec: { value: ({ asset }) => entry.value(asset), json: ({ asset }) => entry.json(asset) },
  });
}

export const asset = { contract, reference, implement };
