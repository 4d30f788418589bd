import type { IndexTip } from "#lib/store/rows.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { contentLocation } from "../block-asset-changes/response.ts";
import { literal, optional, plainText } from "../codec.ts";
import { type Context, direct } from "../operation.ts";
import { blockHeaders } from "../walk.ts";
import { type BlockEntry, contract } from "./contract.ts";
import { type BlockRow, blockNamed } from "./read.ts";
import { reference } from "./reference.ts";

export const blockCodec = optional<BlockRow, BlockEntry>(
  {
    height: literal((row) => row.height),
    hash: plainText((row) => row.hash),
    parentHash: plainText((row) => row.parentHash),
    time: plainText(({ timestamp }) => (timestamp === undefined ? "" : new Date(timestamp).toISOString())),
    transactionCount: literal((row) => row.transactionCount ?? null),
    assetCount: literal((row) => row.assetCount ?? null),
    movedUsd: plainText(({ volumeUsd }) => (volumeUsd === undefined ? "" : toUnits(volumeUsd, USD_DECIMALS))),
    canonical: literal((row) => row.forkHeight === undefined),
    forkHeight: literal((row) => row.forkHeight ?? null),
  },
  [{ has: (row) => row.forkHeight !== undefined, names: ["forkHeight"] }],
);

type Page = { tip: IndexTip | null; block: BlockRow };

const implement = ({ store, base }: Context) =>
  direct<typeof contract, Page>(contract, {
    query: ({ blockHash }) => store.query(blockNamed, blockHash),
    codec: { value: ({ block }) => blockCodec.value(block), json: ({ block }) => blockCodec.json(block) },
    headers: ({ tip, block }, given) => ({
      ...blockHeaders({ tip, asOf: block }),
      ...contentLocation(base + contract.path, block.hash, given),
    }),
  });

export const block = { contract, reference, implement };
