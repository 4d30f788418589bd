import { outputForModel, tokensForModel } from "../address-utxos/reference.ts";
import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "output",
  title: "One output",
  samples: (origin, path) => [curl(`${origin}${path}`)],
  example: {
    parameters: ({ transaction }) => ({ outPoint: `${transaction}:0` }),
    more: () => ({ include: ["kind", "time"], value: "usd" }),
  },
  usage: `${contract.summary}, by its out point: who holds or held it, and who spent it.`,
  forModel: (output) => ({ ...outputForModel(output), tokens: tokensForModel([output]) }),
};
