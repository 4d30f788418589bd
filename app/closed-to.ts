import { type Scope, scopes } from "#lib/contract/operation.ts";

/** How the paths of the pages begin that need a scope. */
const PAGES: Record<Scope, readonly string[]> = {
  "utxos:read": ["/addresses/", "/transactions/", "/wallet"],
  "asset-changes:read": ["/blocks/"],
};

/** How the paths begin of the pages that an access token with these scopes does not open. */
export const closedTo = (allowed: readonly Scope[]): string[] =>
  scopes.filter((scope) => !allowed.includes(scope)).flatMap((scope) => PAGES[scope]);
