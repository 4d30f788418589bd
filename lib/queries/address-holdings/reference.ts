import { toUnits } from "#lib/util/amounts.ts";
import { tokensForModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "holdings-of-address",
  title: "Holdings of an address",
  query: { at: "tip" },
  samples: (origin, path) => [
    curl(`${origin}${path}?at=$HEIGHT`, "What it held after a block that you know."),
  ],

  example: {
    parameters: ({ address }) => ({ address, pageSize: 1 }),
    more: ({ lastCursor }) => ({ cursor: lastCursor, at: "tip" }),
    few: () => ({ at: "1" }),
  },

  usage: `${contract.summary}. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,

  forModel({ result, ...others }) {
    return {
      result: result.map(({ tokenInfo, ...holding }) => ({
        ...holding,
        amountInUnits: toUnits(holding.amount, tokenInfo.decimals),
      })),
      tokens: tokensForModel(result),
      ...others,
    };
  },
};
