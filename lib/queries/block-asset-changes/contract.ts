import { z } from "zod";
import { blockReference } from "#lib/contract/block-reference.ts";
import {
  type Contract,
  commonErrors,
  describedAs,
  extension,
  including,
  integer,
  LIST_FORMS,
  naming,
  numberedPage,
  text,
} from "#lib/contract/operation.ts";
import { onRequest } from "../address-utxos/contract.ts";

/** A number of any length. Generated clients would give an integer, or a number without a format, too few bits. */
const NUMBER = { type: "number", format: "double" };

export const assetChange = z
  .object({
    amount: z
      .bigint()
      .describe("Gross amount moved, smallest unit; a JSON integer with all its digits")
      .meta({ override: describedAs(NUMBER) }),
    amountUsd: text
      .describe("That amount at the asset's price at the block's time, at most 8 decimals; 0 without a price")
      .meta({ override: describedAs(NUMBER) }),
    asset: z.object(naming).meta({ id: "Asset" }),
    tags: z.array(text.describe("From the operator's registry, sorted")),
    amountExact: text
      .describe("`amount` as decimal digits, for clients whose JSON numbers are doubles")
      .meta(extension),
    amountUsdExact: text
      .describe("`amountUsd` as decimal digits, for clients whose JSON numbers are doubles")
      .meta(extension),
    // An extension of the original v0.
    kind: onRequest("include=kind", "What issued the asset: `native`, or the standard of the token"),
  })
  .meta({ id: "AssetChange" });
export type AssetChange = z.infer<typeof assetChange>;

export const contract = {
  operationId: "listBlockAssetChanges",
  tag: "Blocks",
  summary: "What moved in a block, by asset",
  description:
    "`amount` is a JSON integer with all its digits, which may be more than a double holds: read `amountExact` if your JSON parser has no big integers. 404 if the block is not indexed or no longer canonical.",
  path: "/v0/blocks/{blockHash}/asset-changes",
  scope: "asset-changes:read",
  params: z.object({ blockHash: blockReference }),
  query: z.object({
    assetName: text.default("").describe("Part of the asset's name, in any case; no wildcards"),
    search: text
      .default("")
      .describe(
        "Part of the asset's name (in any case), symbol (ASCII letters in any case) or id; no wildcards",
      )
      .meta(extension),
    tags: z.array(text).default([]).describe(`Entries with any of these tags; ${LIST_FORMS}`),
    orderKey: z
      .enum(["volume"])
      .optional()
      .describe(
        "By value in US dollars, ties in order of first appearance; missing: order of first appearance",
      ),
    orderDirection: z.enum(["asc", "desc"]).default("desc").describe("Lowest or highest volume first"),
    page: integer(1, 1).describe("Starts at 1; a page past the end is empty"),
    pageSize: integer(10, 1, 100).describe("Entries per page"),
    include: including({ kind: "what issued the asset" }),
  }),
  entry: assetChange,
  response: numberedPage(assetChange).meta({ id: "AssetChangePage", description: "A page of asset changes" }),
  headers: ["X-Block-Height", "X-Block-Hash", "X-Parent-Hash", "X-Block-Time", "Content-Location"],
  errors: [...commonErrors, "NOT_FOUND"],
} as const satisfies Contract;
export type AssetChangeList = z.infer<typeof contract.response>;
