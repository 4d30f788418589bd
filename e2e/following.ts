/** For tests that fill the growing site. Apart from `support.ts`: what asks a node decodes no Brotli, which other tests get. */
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { sync as follow } from "#lib/ingest/sync.ts";
import { onDatabase } from "./support.ts";

/** The page asks for the index's status every five seconds. */
export const NEXT_STATUS = { timeout: 25_000 };

/** Brings the growing site to the node's tip, as `aqs sync --once` does beside the server. */
export const sync = (node: StandInNode) =>
  onDatabase("growing", (store) => follow(store, new CkbNode(node.url), { once: true }));
