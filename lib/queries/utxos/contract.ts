import { z } from "zod";
import {
  addresses,
  type Contract,
  commonErrors,
  cursorPage,
  LIST_FORMS,
  text,
} from "#lib/contract/operation.ts";
import { contract as addressUtxos, utxoEntry } from "../address-utxos/contract.ts";

const { pageSize, cursor, token, order, include, value, at } = addressUtxos.query.shape;

const addressedUtxo = z
  .object({ address: text.describe("As the request has it"), ...utxoEntry.shape })
  .meta({ id: "AddressedUtxo" });
export type AddressedUtxo = z.infer<typeof addressedUtxo>;

export const contract = {
  operationId: "listUtxos",
  tag: "Addresses",
  extension: true,
  summary: "The unspent outputs of several addresses",
  description:
    "The lists of all addresses, one after the other, as one list: each is in its own order, and all entries of a page are of one state. It is followed, and had as NDJSON, as the list of one address.",
  path: "/v0/utxos",
  scope: "utxos:read",
  params: z.object({}),
  query: z.object({
    address: addresses
      .min(1, "Expected an address")
      .describe(`Addresses of the served network, each once and in any of its text forms; ${LIST_FORMS}`),
    pageSize,
    cursor,
    token,
    order,
    include,
    value,
    at,
  }),
  entry: addressedUtxo,
  response: cursorPage(addressedUtxo).meta({
    id: "AddressedUtxoPage",
    description: "A page of unspent outputs of several addresses",
  }),
  headers: ["X-Block-Height", "X-Block-Hash"],
  errors: [...commonErrors, "NOT_FOUND"],
  walk: { free: ["pageSize", "cursor", "include", "value"], live: true },
} as const satisfies Contract;
