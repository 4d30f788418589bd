import {
  changeFields,
  changesCodec,
  filtersOf,
  type ValuedChangeRow,
  withKinds,
} from "../block-asset-changes/response.ts";
import { literal } from "../codec.ts";
import type { Context, Implementation } from "../operation.ts";
import { check, type Values } from "../parse.ts";
import { contract, type RangeAssetChange } from "./contract.ts";
import { assetChangesOfRange, type RangeChangePage, type RangeChangeRow } from "./read.ts";
import { reference } from "./reference.ts";

type ToldRow = RangeChangeRow & ValuedChangeRow;
type ValuedPage = Omit<RangeChangePage, "rows"> & { rows: ToldRow[] };

const implement = ({
  store,
  base,
}: Context): Implementation<typeof contract, Values<typeof contract>, ValuedPage> => ({
  async parse(params, search) {
    return check(contract, params, search).values();
  },

  async query({ from, to, include, ...filters }) {
    return withKinds(await store.query(assetChangesOfRange, { from, to, ...filtersOf(filters) }), include);
  },

  codec: changesCodec<ToldRow, RangeAssetChange>({
    ...changeFields(base),
    blocks: literal((row) => row.blocks),
    transactions: literal((row) => row.transactions),
  }),

  headers: ({ block }) => ({ "X-Block-Height": String(block.height), "X-Block-Hash": block.hash }),
});

export const rangeAssetChanges = { contract, reference, implement };
