import { formatCount } from "#lib/client/format.ts";
import { changeParameters, NO_PLACE } from "#lib/client/url-state.ts";
import { blockReference } from "#lib/contract/block-reference.ts";
import { HASH } from "#lib/contract/block-text.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { abandonedBlock, chainTip, stateBlock } from "#lib/queries/chain.ts";
import { orNotKept } from "#lib/queries/named-block.ts";
import type { BlockHeader, Tip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { redirectTo } from "../../redirect-to.ts";

/** The block with this number, hash or time. Null if there is none; a fault if the state after it was pruned. */
export async function blockNamed(
  store: Store,
  text: string,
): Promise<BlockHeader | { fault: string } | null> {
  const named = blockReference.safeParse(text);
  if (!named.success) return null;
  return orNotKept(store.query(stateBlock, named.data)).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return null;
    throw error;
  });
}

/** The number of a block that a reorganisation replaced, by its hash; null for other texts. */
export async function replacedHeight(store: Store, text: string): Promise<number | null> {
  if (!HASH.test(text)) return null;
  return (await store.query(abandonedBlock, text))?.height ?? null;
}

/** A sentence about the text, if it is the hash of a block that a reorganisation replaced. */
export async function replacedText(store: Store, text: string): Promise<string | undefined> {
  const height = await replacedHeight(store, text);
  return height === null ? undefined : `A reorganisation replaced this block, number ${formatCount(height)}.`;
}

/** Redirects to the current state if `at` names the tip only for now: a time that no block has reached yet, or `tip`. */
export async function redirectToNow(store: Store, path: string, at: string, { hash }: Tip): Promise<void> {
  const named = blockReference.safeParse(at).data;
  const isMoving = named === "tip" || (named !== undefined && "time" in named);
  if (isMoving && hash === (await store.query(chainTip))?.hash)
    redirectTo(changeParameters(path, { ...NO_PLACE, at: "" }));
}
