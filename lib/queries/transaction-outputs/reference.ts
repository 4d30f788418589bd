import { forModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

/** What the lists of a transaction's inputs and outputs have in common. */
export const referenceOfList = {
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(`${origin}${path}?pageSize=1000`, "One page. Pass lastCursor as cursor until hasNext is false."),
  ],
  example: {
    parameters: ({ transaction }) => ({ hash: transaction, pageSize: 2 }),
    more: ({ lastCursor }) => ({
      cursor: lastCursor,
      firstIndex: 1,
      include: ["kind", "time"],
      value: "usd",
    }),
    few: () => ({}),
  },
  forModel,
} satisfies Partial<Reference<typeof contract>>;

export const reference: Reference<typeof contract> = {
  ...referenceOfList,
  section: "transaction-outputs",
  title: "Outputs of a transaction",
  usage: `${contract.summary}. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
