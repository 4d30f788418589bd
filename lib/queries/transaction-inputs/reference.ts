import type { Reference } from "../reference.ts";
import { referenceOfList } from "../transaction-outputs/reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  ...referenceOfList,
  section: "transaction-inputs",
  title: "Inputs of a transaction",
  usage: `${contract.summary}, with who was paid by these outputs. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
};
