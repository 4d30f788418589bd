import { z } from "zod";
import type { Contract } from "#lib/contract/operation.ts";
import { contract as addressHoldings } from "../address-holdings/contract.ts";
import { walletAddress } from "../changes/contract.ts";

export const contract = {
  ...addressHoldings,
  operationId: "listHoldings",
  summary: "What several addresses hold or held together, by token",
  description:
    "The sums over the unspent outputs of all addresses, in the order of the holdings of one. All pages are as of the block of the first one. An address that you send twice counts once.",
  path: "/v0/holdings",
  params: z.object({}),
  query: z.object({ address: walletAddress, ...addressHoldings.query.shape }),
} as const satisfies Contract;
