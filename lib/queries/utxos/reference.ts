import { reference as ofAddress } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...ofAddress,
  section: "utxos-of-addresses",
  title: "Unspent outputs of several addresses",
  subject: () => ({}),
  samples: (origin, path) => [
    curl(
      `${origin}${path}?address=$FIRST&address=$SECOND&pageSize=1000`,
      "One page. Pass lastCursor as cursor until hasNext is false.",
    ),
  ],
  example: {
    parameters: ({ address }) => ({ address: [address], pageSize: 2, order: "asc" }),
    more: ({ result, lastCursor }) => ({
      cursor: lastCursor,
      token: result.at(-1)!.token,
      include: ["kind", "time"],
      value: "usd",
      at: String(result.at(-1)!.blockHeight),
    }),
    few: ({ result }) => ({ token: result.at(-1)!.token }),
  },
  usage: `${contract.summary}, address by address. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
