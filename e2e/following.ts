/** Helpers for tests that fill the growing site. */
import type { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { keepingBrotli } from "./brotli.ts";
import { onDatabase } from "./support.ts";

const { CkbNode } = await keepingBrotli(() => import("#lib/chains/ckb/node.ts"));
const { sync: follow } = await keepingBrotli(() => import("#lib/indexer/sync.ts"));

/** Reverts all blocks of the growing site, so that a test can be repeated. */
export const revertAll = () => onDatabase("growing", (store) => store.write(revertTo, -1));

/** Brings the growing site to the node's tip, as `aqs sync --once` does beside the server. */
export const sync = (node: StandInNode) =>
  onDatabase("growing", (store) => follow(store, new CkbNode(node.url), { once: true }));
