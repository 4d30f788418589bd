/** The filters of all lists of outputs: each is a condition in SQL, and a test of outputs that have been read. */
import type { z } from "zod";
import type { Reader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import type { Dialect } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import type { OwnedOutput } from "../history.ts";
import { isOfToken } from "../tokens.ts";
import type { contract } from "./contract.ts";

type Parameters = z.output<typeof contract.query>;
/** All parameters are filters, except for these. */
export type OutputFilters = Omit<
  Parameters,
  "pageSize" | "cursor" | "after" | "order" | "include" | "value" | "at"
>;
export type FilterName = keyof OutputFilters;

/** Conditions on a row of `live_outputs`, `outputs` or `holdings`. The value of each has the filter's name. */
export const FILTER_SQL: Record<FilterName, (sql: Dialect) => string> = {
  token: () => "token_id = (SELECT id FROM tokens WHERE asset_id = $token)",
};
export const FILTER_NAMES = Object.keys(FILTER_SQL) as FilterName[];

/** Returns a function that says whether an output passes all filters. */
export function* outputTest(
  db: Reader,
  { token, ...rest }: OutputFilters,
): Steps<(output: OwnedOutput) => boolean> {
  exhaustive(rest);
  const isListed = yield* isOfToken(db, token);
  return ({ tokenId }) => isListed(tokenId);
}
