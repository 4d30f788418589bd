import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "holders",
  title: "Holders",
  query: { pageSize: "2" },
  samples: (origin, path) => [curl(`${origin}${path}?pageSize=10`, "The ten largest holders.")],
  example: {
    parameters: ({ asset }) => ({ id: asset, pageSize: 2 }),
    more: ({ lastCursor }) => ({ cursor: lastCursor, at: "tip" }),
    few: () => ({}),
  },
  usage: `${contract.summary}, the largest first. \`getAsset\` has the decimals of their amounts. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
  forModel: (page) => page,
};
