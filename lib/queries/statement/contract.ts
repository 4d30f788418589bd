import { z } from "zod";
import type { Contract } from "#lib/contract/operation.ts";
import { contract as addressStatement } from "../address-statement/contract.ts";
import { walletAddress } from "../changes/contract.ts";

export const contract = {
  ...addressStatement,
  operationId: "listStatement",
  summary: "The statement of several addresses together, by token",
  description:
    "The lines of a statement, with the sums over all addresses. What they pay one another counts neither in `in` nor in `out`. All pages show one state. Paging works as for one address. An address that you send twice counts once.",
  path: "/v0/statement",
  params: z.object({}),
  query: z.object({ address: walletAddress, ...addressStatement.query.shape }),
} as const satisfies Contract;
