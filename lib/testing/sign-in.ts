import { issueToken } from "#lib/api/access-tokens.ts";
import type { Scope } from "#lib/contract/operation.ts";
import type { Store } from "#lib/store/store.ts";

/** The `Cookie` of a reader who has signed in with a new token of these scopes; none means all. */
export async function signedIn(store: Store, ...scopes: Scope[]): Promise<string> {
  const options = { name: "reader", scopes, expiresAt: null, now: Date.now() };
  return `aqs_session=${(await issueToken(store, options)).token}`;
}
