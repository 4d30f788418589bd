import { blockReference } from "#lib/contract/block-reference.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { stateBlock } from "#lib/queries/chain.ts";
import { orNotKept } from "#lib/queries/named-block.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";

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

/** Whether the text may soon name another block: the tip, or a time. */
export function isMoving(text: string): boolean {
  const named = blockReference.safeParse(text).data;
  return named === "tip" || (named !== undefined && "time" in named);
}
