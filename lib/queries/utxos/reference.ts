import { reference as ofAddress } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...ofAddress,
  section: "utxos-of-addresses",
  title: "Unspent outputs of several addresses",
  samples: (origin, path) => [
    curl(
      `${origin}${path}?address=$FIRST&address=$SECOND&pageSize=1000`,
      "One page. Pass lastCursor as cursor until hasNext is false.",
    ),
  ],
  example: {
    ...ofAddress.example,
    parameters: ({ address }) => ({ address: [address], pageSize: 2, order: "asc" }),
    more(page) {
      const { after: _, ...more } = ofAddress.example.more(page);
      return more;
    },
  },
  usage: `${contract.summary}, address by address. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
