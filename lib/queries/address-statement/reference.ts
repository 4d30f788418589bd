import { tokensForModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "statement-of-address",
  title: "Statement of an address",
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(
      `${origin}${path}?from=$HEIGHT&value=usd`,
      "What happened after a block that you know, one line of JSON each.",
      "application/x-ndjson",
    ),
  ],

  example: {
    parameters: ({ address }) => ({ address, pageSize: 2, order: "asc", per: "block" }),
    more: ({ result, lastCursor }) => ({
      cursor: lastCursor,
      token: result.at(-1)!.token,
      from: "0",
      to: "tip",
      include: ["token"],
      value: "usd",
    }),
    few: ({ result }) => ({ from: String(result.at(-1)!.height - 1), value: "usd" }),
  },

  usage: `${contract.summary}. \`include\` adds the decimals of its tokens. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,

  forModel({ result, ...others }) {
    const described = result.flatMap(({ tokenInfo }) => (tokenInfo ? [{ tokenInfo }] : []));
    const lines = result.map(({ tokenInfo: _, ...line }) => line);
    return { result: lines, ...(described.length > 0 && { tokens: tokensForModel(described) }), ...others };
  },
};
