import { toUnits } from "#lib/util/amounts.ts";
import { tokensForModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "transaction",
  title: "A transaction",
  samples: (origin, path) => [curl(`${origin}${path}`)],
  example: { parameters: ({ transaction }) => ({ hash: transaction }), more: () => ({}) },
  usage: `${contract.summary}, by its hash.`,
  forModel: ({ assets, ...transaction }) => ({
    ...transaction,
    assets: assets.map(({ tokenInfo, ...asset }) => ({
      ...asset,
      outInUnits: toUnits(asset.out, tokenInfo.decimals),
    })),
    tokens: tokensForModel(assets),
  }),
};
