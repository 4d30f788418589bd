import { z } from "zod";
import { addresses, type Contract, cursorPage, LIST_FORMS, text } from "#lib/contract/operation.ts";
import { contract as addressChanges } from "../address-changes/contract.ts";

/** The parameter of an operation that takes an address several times. */
export const walletAddress = addresses
  .min(1, "Expected an address")
  .describe(`Addresses of the served network, in any of their text forms; ${LIST_FORMS}`);

const walletChange = z
  .object({
    address: text.describe("As the request has it; the first form if it has several"),
    ...addressChanges.entry.shape,
  })
  .meta({ id: "WalletChange" });
export type WalletChange = z.infer<typeof walletChange>;

export const contract = {
  ...addressChanges,
  operationId: "listChanges",
  summary: "What happened to the outputs of several addresses between two blocks",
  description:
    "The changes of all addresses as one list, in the order in which they happened. All pages show one state. Paging works as for one address. An address that you send twice counts once.",
  path: "/v0/changes",
  params: z.object({}),
  query: z.object({ address: walletAddress, ...addressChanges.query.shape }),
  entry: walletChange,
  response: cursorPage(walletChange).meta({
    id: "WalletChangePage",
    description: "A page of changes of several addresses",
  }),
} as const satisfies Contract;
