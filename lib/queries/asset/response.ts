import { ApiError } from "#lib/contract/errors.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { type AssetDetails, assetById } from "../assets/read.ts";
import { assetFields } from "../assets/response.ts";
import { object } from "../codec.ts";
import type { Context, Implementation } from "../operation.ts";
import { check, type Values } from "../parse.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

type Page = { tip: IndexTip | null; asset: AssetDetails };

const implement = ({
  store,
  base,
}: Context): Implementation<typeof contract, Values<typeof contract>, Page> => {
  const entry = object(assetFields(base));
  return {
    parse: async (params, search) => check(contract, params, search).values(),
    async query({ id }) {
      const found = await store.query(assetById, id);
      if (!found) throw new ApiError("NOT_FOUND");
      return found;
    },
    codec: { value: ({ asset }) => entry.value(asset), json: ({ asset }) => entry.json(asset) },
  };
};

export const asset = { contract, reference, implement };
