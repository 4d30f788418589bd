import { ApiError } from "#lib/contract/errors.ts";
import type { IndexTip } from "#lib/store/store.ts";
import { assetFields } from "../assets/answer.ts";
import { type AssetDetails, assetById } from "../assets/read.ts";
import { object } from "../codec.ts";
import type { Answering, Context } from "../operation.ts";
import { check, type Values } from "../parse.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

type Page = { tip: IndexTip | null; asset: AssetDetails };

const answer = ({ store, base }: Context): Answering<typeof contract, Values<typeof contract>, Page> => {
  const entry = object(assetFields(base));
  return {
    parse: async (params, search) => check(contract, params, search).values(),
    async query({ id }) {
      const found = await store.ask(assetById, id);
      if (!found) throw new ApiError("NOT_FOUND");
      return found;
    },
    codec: { value: ({ asset }) => entry.value(asset), json: ({ asset }) => entry.json(asset) },
  };
};

export const asset = { contract, reference, answer };
