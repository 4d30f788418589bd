import { changesCodec, filtersOf, type WithKind, withKinds } from "../block-asset-changes/response.ts";
import { changeFields, type RangeChangeRow } from "../change-rows.ts";
import { literal } from "../codec.ts";
import { type Context, direct } from "../operation.ts";
import { blockHeaders } from "../walk.ts";
import { contract, type RangeAssetChange } from "./contract.ts";
import { assetChangesOfRange, type RangeChangePage } from "./read.ts";
import { reference } from "./reference.ts";

type Page = Omit<RangeChangePage, "rows"> & { rows: WithKind<RangeChangeRow>[] };

const implement = ({ store, base }: Context) =>
  direct<typeof contract, Page>(contract, {
    async query({ from, to, include, ...filters }) {
      return withKinds(await store.query(assetChangesOfRange, { from, to, ...filtersOf(filters) }), include);
    },

    codec: changesCodec<RangeChangeRow, RangeAssetChange>({
      ...changeFields(base),
      blocks: literal((row) => row.blocks),
      transactions: literal((row) => row.transactions),
    }),

    headers: ({ tip, block, after }) => blockHeaders({ tip, asOf: { ...block, after } }),
  });

export const rangeAssetChanges = { contract, reference, implement };
