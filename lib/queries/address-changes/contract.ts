import { z } from "zod";
import { blockRange } from "#lib/contract/block-reference.ts";
import { asOfRange, type Contract, choice, count, cursorPage, text } from "#lib/contract/operation.ts";
import { contract as addressUtxos, utxoEntry } from "../address-utxos/contract.ts";

const { pageSize, cursor, token, include, value } = addressUtxos.query.shape;

export const newestFirst = choice("asc", "desc").describe("Oldest first, or newest first");

const addressChange = z
  .object({
    ...utxoEntry.shape,
    change: z.enum(["created", "spent"]).describe("What happened to the output"),
    changeHeight: count.describe("Height of the block in which it happened"),
    changeTransaction: text.describe("Hash of the transaction that did it"),
  })
  .meta({ id: "AddressChange" });
export type AddressChange = z.infer<typeof addressChange>;

export const contract = {
  operationId: "listAddressChanges",
  tag: "Addresses",
  extension: true,
  summary: "What happened to an address's outputs between two blocks",
  description:
    "Each output that the blocks after `from`, up to `to`, created or spent, in the order in which it happened: by height, transaction index, spent before created, and place in the transaction; with `order=desc`, the other way round. The list as of `from`, with what was created and without what was spent, is the list as of `to`. Outputs that were created outside the indexed blocks are in none of them. All pages are as of the block that `to` named for the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`.",
  path: "/v0/addresses/{address}/changes",
  scope: "utxos:read",
  params: addressUtxos.params,
  query: z.object({ pageSize, cursor, token, ...blockRange, include, value, order: newestFirst }),
  entry: addressChange,
  response: cursorPage(addressChange).meta({
    id: "AddressChangePage",
    description: "A page of changes of an address",
  }),
  ...asOfRange,
  walk: { free: ["pageSize", "cursor", "include", "value"] },
} as const satisfies Contract;
