import { reference as ofAddress } from "../address-statement/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...ofAddress,
  section: "statement-of-addresses",
  title: "Statement of several addresses",
  samples: (origin, path) => [
    curl(
      `${origin}${path}?address=$FIRST&address=$SECOND&from=$HEIGHT&value=usd`,
      "What happened after a block that you know, one line of JSON each.",
      "application/x-ndjson",
    ),
  ],
  example: {
    ...ofAddress.example,
    parameters: ({ address }) => ({ address: [address], pageSize: 2, order: "asc", per: "block" }),
  },
  usage: `${contract.summary}. \`include\` adds the decimals of its tokens. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
