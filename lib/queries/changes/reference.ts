import { reference as ofAddress } from "../address-changes/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...ofAddress,
  section: "changes-of-addresses",
  title: "Changes of several addresses",
  samples: (origin, path) => [
    curl(
      `${origin}${path}?address=$FIRST&address=$SECOND&from=$HEIGHT&pageSize=1000`,
      "What happened after a block that you know. Pass lastCursor as cursor until hasNext is false.",
    ),
  ],
  example: {
    ...ofAddress.example,
    parameters: ({ address }) => ({ address: [address], pageSize: 2, order: "asc" }),
  },
  usage: `${contract.summary}, in the order of events. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
