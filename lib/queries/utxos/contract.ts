import { z } from "zod";
import { addresses, type Contract, cursorPage, LIST_FORMS, text } from "#lib/contract/operation.ts";
import { contract as addressUtxos, utxoEntry } from "../address-utxos/contract.ts";

const addressedUtxo = z
  .object({ address: text.describe("As the request has it"), ...utxoEntry.shape })
  .meta({ id: "AddressedUtxo" });
export type AddressedUtxo = z.infer<typeof addressedUtxo>;

export const contract = {
  ...addressUtxos,
  operationId: "listUtxos",
  extension: true,
  summary: "The unspent outputs of several addresses",
  description:
    "The lists of all addresses, one after the other. Each keeps its own order, and all entries of a page show one state. Paging and NDJSON work as for one address.",
  path: "/v0/utxos",
  params: z.object({}),
  query: z.object({
    address: addresses
      .min(1, "Expected an address")
      .describe(`Addresses of the served network, each once and in any of its text forms; ${LIST_FORMS}`),
    ...addressUtxos.query.omit({ after: true }).shape,
  }),
  entry: addressedUtxo,
  response: cursorPage(addressedUtxo).meta({
    id: "AddressedUtxoPage",
    description: "A page of unspent outputs of several addresses",
  }),
} as const satisfies Contract;
