import type { BlockRow } from "../block/read.ts";
import { blockCodec } from "../block/response.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { walk } from "../walk.ts";
import { contract } from "./contract.ts";
import { type BlockPlace, blocksOfRange } from "./read.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, object, BlockRow, BlockPlace>(contract, context, {
    places: jsonPlaces<BlockPlace>("blocks"),
    rows: (selected, window) => context.store.query(blocksOfRange, { ...selected, ...window }),
    entry: blockCodec,
  });

export const blocks = { contract, reference, implement };
