import type { ChangesVolume } from "#lib/client/status.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { volumeOfChanges } from "#lib/questions/volume-of-changes.ts";
import { pageData, requireHash } from "./page-data.ts";

/** `GET /volume`: what the changes of `block`, a hash, are worth together, of those that `search` and `tags` leave. */
export const answerVolume = pageData(
  () => blockAssetChanges.scope,
  async ({ store }, search) => {
    const body: ChangesVolume = {
      volumeUsd: await store.ask(volumeOfChanges, {
        blockHash: requireHash(search.get("block")),
        search: search.get("search") ?? "",
        tags: search.getAll("tags"),
      }),
    };
    return { body };
  },
);
