import { assetForModel } from "../assets/reference.ts";
import type { Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "asset",
  title: "One asset",
  page: "",
  subject: ({ assets }) => ({ id: assets[0] ?? "" }),
  query: {},
  samples: (origin, path) => [
    {
      language: "cURL",
      code: `curl -H "Authorization: Bearer $TOKEN" \\
  '${origin}${path}'`,
    },
  ],
  example: { parameters: ({ asset }) => ({ id: asset }), more: () => ({}) },
  usage: `${contract.summary}, by its id.`,
  forModel: assetForModel,
};
