import type { Detected } from "#lib/client/detect.ts";
import { hashOf } from "#lib/queries/block-asset-changes/response.ts";
import type { Store } from "#lib/store/store.ts";

/** The hash of the block that the text of a link names; null if it names none. */
export const hashNamed = async (store: Store, named: Detected): Promise<string | null> =>
  named.kind === "block-hash" || named.kind === "block-number" || named.kind === "time"
    ? hashOf(store, named)
    : null;
