import { z } from "zod";
import type { ChangesVolume } from "#lib/client/status.ts";
import { blockRange } from "#lib/contract/block-reference.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { check } from "#lib/queries/parse.ts";
import { rangeOverview } from "#lib/queries/range-overview.ts";
import { volumeOfChanges } from "#lib/queries/volume-of-changes.ts";
import { pageData, requireHash } from "./page-data.ts";

const parameters = { params: z.object({}), query: z.object(blockRange) };

/** `GET /volume`: the value of the changes that match `search` and `tags`, in `block` or between `from` and `to`. */
export const handleVolume = pageData(
  () => blockAssetChanges.scope,
  async ({ store }, given) => {
    const filters = { search: given.get("search") ?? "", tags: given.getAll("tags") };
    const block = given.get("block");
    const volumeUsd =
      block === null
        ? (
            await store.query(rangeOverview, {
              ...filters,
              ...check(parameters, {}, given).values(),
              largest: 0,
            })
          ).volumeUsd
        : await store.query(volumeOfChanges, { ...filters, blockHash: requireHash(block) });
    return { body: { volumeUsd } satisfies ChangesVolume };
  },
);
