import { isAddressError } from "#lib/contract/chain.ts";
import {
  addressUtxos,
  type BlockReference,
  blockAssetChanges,
  type OperationName,
} from "#lib/contract/endpoints.ts";
import { ApiError, type Issue, serverIsBusy } from "#lib/contract/errors.ts";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { type UtxoPage, type UtxoQuery, utxosOfAddress } from "#lib/questions/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/questions/block-asset-changes/read.ts";
import { blockHashAt, chainTip, placeOf } from "#lib/questions/chain.ts";
import type { Store } from "#lib/store/engine.ts";
import type { Core } from "./core.ts";
import { createCodecs } from "./encode.ts";
import { publicBase } from "./icons.ts";
import { createOperation } from "./operation.ts";
import { withStates } from "./output-states.ts";
import { check } from "./parse.ts";
import type { Lines } from "./respond.ts";

export type Operations = ReturnType<typeof createOperations>;

/** Every operation that the contract declares. */
export function createOperations(core: Core) {
  const codecs = createCodecs(publicBase(core.config));
  return {
    addressUtxos: createAddressUtxos(core, codecs.addressUtxos, codecs.utxoEntry),
    blockAssetChanges: createBlockAssetChanges(core, codecs.blockAssetChanges),
  } satisfies Record<OperationName, unknown>;
}

type Codecs = ReturnType<typeof createCodecs>;

function createAddressUtxos(core: Core, codec: Codecs["addressUtxos"], entry: Codecs["utxoEntry"]) {
  const { store, cursors } = core;

  /** The page's rows as they were asked for. */
  async function included(page: UtxoPage, { include, address }: Pick<UtxoWalk, "include" | "address">) {
    return include === undefined ? page.rows : withStates(store, address, page);
  }

  /** The cursor after a page; the one that was sent if the page is empty. */
  const cursorAfter = (
    { last }: UtxoPage,
    { cursor, after, ...walk }: Omit<UtxoWalk, "pageSize" | "address">,
  ): string => {
    const place = last ?? (cursor === "" ? after : undefined);
    return place ? cursors.encode(place, walk) : cursor;
  };

  /** All entries from these values on, and then the cursor. */
  async function* lines(values: UtxoWalk): AsyncGenerator<Lines> {
    let { after, cursor } = values;
    let hasNext = true;
    /** The next entries. A generator keeps what its own variables hold until it goes on, and its reader may take long. */
    const piece = async (): Promise<Lines> => {
      const { addressKey, token, order } = values;
      const page = await store.ask(utxosOfAddress, {
        addressKey,
        token,
        order,
        after,
        limit: STREAMED_AT_ONCE,
      });
      cursor = cursorAfter(page, { ...values, after, cursor });
      after = page.last ?? after;
      hasNext = page.hasNext;
      const rows = await included(page, values);
      return { tip: page.tip, text: rows.map((row) => `${entry.json(row)}\n`).join("") };
    };
    while (hasNext) yield await piece();
    yield { tip: null, text: `${JSON.stringify({ cursor })}\n` };
  }

  const operation = createOperation(core, {
    declaration: addressUtxos,
    codec,

    /** An address that was parsed before is taken as it is. */
    async parse({ address: given }: { address: string | Address }, search) {
      const text = typeof given === "string" ? given : given.text;
      const checked = check(addressUtxos, { address: text }, search);
      // The address needs the chain and the cursor needs the key: their issues join those of the schema.
      const address = typeof given === "string" ? await readAddress(core, given, checked.issues) : given;
      const { token, order = "asc", cursor = "" } = checked.given;
      const walk = { addressKey: address?.key ?? "", token, order };
      const after = cursor === "" ? undefined : cursors.decode(cursor, walk);
      if (after === null) {
        const message = "This cursor was not issued for this address, token and order";
        checked.issues.push({ path: ["query", "cursor"], code: "invalid_cursor", message });
      }
      const outPoint = checked.given.after;
      const place = outPoint && (await store.ask(placeOf, outPoint));
      if (place === null || (outPoint && cursor !== "")) {
        const message = place ? "Give either a cursor or an out point" : "No indexed block has this output";
        checked.issues.push({ path: ["query", "after"], code: "invalid_out_point", message });
      }
      // An address that could not be read is an issue: then this throws.
      return { ...checked.values(), ...walk, address: address!, after: after ?? place ?? undefined };
    },

    async query({ address, addressKey, token, order, after, cursor, pageSize, include, ...rest }) {
      exhaustive(rest);
      const walk = { addressKey, token, order };
      const page = await store.ask(utxosOfAddress, { ...walk, after, limit: pageSize });
      const rows = await included(page, { include, address });
      return { ...page, rows, lastCursor: cursorAfter(page, { ...walk, after, cursor }) };
    },

    lines,
  });
  return { ...operation, lines };
}

/** Which outputs are wanted, as `parse` gives it. */
type UtxoWalk = Omit<UtxoQuery, "limit"> & {
  address: Address;
  cursor: string;
  pageSize: number;
  include?: "kind" | undefined;
};

/** Entries that a streamed answer reads, and holds in memory, together. */
const STREAMED_AT_ONCE = 200;

/** Undefined if it cannot be read: then an issue says why. `part`: where the request has it. */
export async function readAddress(
  core: Pick<Core, "parseAddress">,
  text: string,
  issues: Issue[],
  part: "path" | "query" = "path",
): Promise<Address | undefined> {
  try {
    return await core.parseAddress(text);
  } catch (error) {
    if (!isAddressError(error)) throw error;
    issues.push({ path: [part, "address"], code: error.code, message: error.message });
  }
}

function createBlockAssetChanges(core: Core, codec: Codecs["blockAssetChanges"]) {
  return createOperation(core, {
    declaration: blockAssetChanges,
    codec,

    async parse(params: { blockHash: string }, search) {
      return check(blockAssetChanges, params, search).values();
    },

    async query({ blockHash: block, orderKey, orderDirection, page, pageSize, ...values }) {
      const { assetName, search, tags, include, ...rest } = values;
      exhaustive(rest);
      // A reorganisation may replace the block of a height between the two reads; then the next one is there.
      for (let attempt = 0; attempt < MAX_LOOKUPS; attempt++) {
        const blockHash = await hashOf(core.store, block);
        if (blockHash === null) throw new ApiError("NOT_FOUND");
        const changes = await core.store.ask(assetChangesOfBlock, {
          blockHash,
          assetName,
          search,
          tags,
          volumeOrder: orderKey && orderDirection,
          offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
          limit: pageSize,
        });
        if (changes) {
          if (include === undefined) return changes;
          return { ...changes, rows: changes.rows.map((row) => ({ ...row, kind: row.asset.standard })) };
        }
        if (typeof block === "object" && "hash" in block) throw new ApiError("NOT_FOUND");
      }
      throw serverIsBusy();
    },

    headers({ block }, request) {
      const headers: Record<string, string> = {
        "X-Block-Height": String(block.height),
        "X-Block-Hash": block.hash,
        "X-Parent-Hash": block.parentHash,
        "X-Block-Time": new Date(block.timestamp).toISOString(),
      };
      if (!/^(0x)?[\da-f]{64}$/i.test(request.params.blockHash ?? "")) {
        const path = blockAssetChanges.path.replace("{blockHash}", block.hash);
        const query = new URLSearchParams(request.query).toString();
        headers["Content-Location"] = `${publicBase(core.config)}${path}${query && `?${query}`}`;
      }
      return headers;
    },
  });
}

/** How often a block that is asked for by height or as the tip is looked up while reorganisations replace it. */
const MAX_LOOKUPS = 3;

/** Null if there is no such block. Whether a given hash is stored, `assetChangesOfBlock` tells. */
async function hashOf(store: Store, block: BlockReference): Promise<string | null> {
  if (block === "tip") return (await store.ask(chainTip))?.hash ?? null;
  return "hash" in block ? block.hash : store.ask(blockHashAt, block.height);
}
