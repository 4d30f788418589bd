import { forModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "changes-of-address",
  title: "Changes of an address",
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(
      `${origin}${path}?from=$HEIGHT&pageSize=1000`,
      "What happened after a block that you know. Pass lastCursor as cursor until hasNext is false.",
    ),
  ],

  example: {
    parameters: ({ address }) => ({ address, pageSize: 2, order: "asc" }),
    more: ({ result, lastCursor }) => ({
      cursor: lastCursor,
      token: result.at(-1)!.token,
      from: "0",
      to: "tip",
      include: ["kind", "time"],
      value: "usd",
    }),
    few: ({ result }) => ({ token: result.at(-1)!.token, from: String(result.at(-1)!.changeHeight - 1) }),
  },

  usage: `${contract.summary}, in the order of events. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,

  forModel,
};
