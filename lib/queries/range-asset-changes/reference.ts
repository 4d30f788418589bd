import { filtersExample, forModel } from "../block-asset-changes/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "changes-of-a-range",
  title: "Asset changes of a range",
  query: { orderKey: "volume", pageSize: "2" },
  samples: (origin, path) => [
    curl(
      `${origin}${path}?from=5&to=tip&orderKey=volume&pageSize=10`,
      "The ten largest by value, over all blocks after height 5 up to the tip.",
    ),
  ],

  example: {
    parameters: (known) => ({ from: "1", to: known.blockHash, ...filtersExample(known) }),
    more: () => ({ include: ["kind"] }),
  },

  usage: `${contract.summary}. \`page\` 2 and up continue while fewer than \`total\` were returned.`,

  forModel,
};
