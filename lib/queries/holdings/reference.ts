import { reference as ofAddress } from "../address-holdings/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...ofAddress,
  section: "holdings-of-addresses",
  title: "Holdings of several addresses",
  samples: (origin, path) => [
    curl(
      `${origin}${path}?address=$FIRST&address=$SECOND&at=$HEIGHT`,
      "What they held after a block that you know.",
    ),
  ],
  example: { ...ofAddress.example, parameters: ({ address }) => ({ address: [address], pageSize: 1 }) },
  usage: `${contract.summary}. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
