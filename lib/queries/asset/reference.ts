import { assetForModel } from "../assets/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "asset",
  title: "One asset",
  samples: (origin, path) => [curl(`${origin}${path}`)],
  example: { parameters: ({ asset }) => ({ id: asset }), more: () => ({}) },
  usage: `${contract.summary}, by its id.`,
  forModel: assetForModel,
};
