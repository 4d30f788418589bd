import { isAddressError } from "#lib/contract/chain.ts";
import { addressUtxos, blockAssetChanges } from "#lib/contract/endpoints.ts";
import { ApiError, type Issue } from "#lib/contract/errors.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { authenticate } from "./authenticate.ts";
import { encodeAssetChanges, encodeUtxos } from "./encode.ts";
import { check, parse } from "./parse.ts";
import type { ApiRequest, Reply } from "./reply.ts";
import { respond } from "./respond.ts";
import type { Service } from "./service.ts";

/** An operation of the API: throws ApiError where it cannot answer. */
export type Operation = (service: Service, request: ApiRequest) => Promise<Reply>;

/** `GET /v0/addresses/{address}/utxos`: the unspent outputs of an address, in chain order. */
export const listAddressUtxos: Operation = async (service, request) => {
  const caller = await authenticate(service, request, addressUtxos.scope);
  return service.limits.counted(caller.id, service.now(), async () => {
    const { walk, after, pageSize, sent } = await parseUtxoQuery(service, request);
    const page = await service.store.utxosOfAddress({ ...walk, after, limit: pageSize });
    service.tip.remember(page.tip);
    const lastCursor = page.last ? service.cursors.encode(page.last, walk) : sent;
    return respond(request, encodeUtxos(page, lastCursor), page.tip);
  });
};

/** `GET /v0/blocks/{blockHash}/asset-changes`: what a block moved, by asset. */
export const listBlockAssetChanges: Operation = async (service, request) => {
  const caller = await authenticate(service, request, blockAssetChanges.scope);
  return service.limits.counted(caller.id, service.now(), async () => {
    const query = parse(blockAssetChanges, request);
    const page = await service.store.assetChangesOfBlock({
      blockHash: query.blockHash,
      assetName: query.assetName,
      tags: query.tags,
      volumeOrder: query.orderKey && query.orderDirection,
      offset: Math.min((query.page - 1) * query.pageSize, Number.MAX_SAFE_INTEGER),
      limit: query.pageSize,
    });
    if (!page) throw new ApiError("NOT_FOUND");
    service.tip.remember(page.tip);
    return respond(request, encodeAssetChanges(page), page.tip);
  });
};

/** The address and the cursor need the chain and the key; their faults join those of the other parameters. */
async function parseUtxoQuery(service: Service, request: ApiRequest) {
  const { values, issues } = check(addressUtxos, request);
  const { address: text = "", token, order = "asc", cursor: sent = "", pageSize = 0 } = values;
  const address = await readAddress(service, text, issues);
  const walk = { addressKey: address?.key ?? "", token, order };
  const after = sent === "" ? undefined : service.cursors.decode(sent, walk);
  if (after === null) {
    const message = "Not a cursor that was given out for this address, token and order";
    issues.push({ path: ["query", "cursor"], code: "invalid_cursor", message });
  }
  if (after === null || issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
  return { walk, after, pageSize, sent };
}

async function readAddress(service: Service, text: string, issues: Issue[]): Promise<Address | undefined> {
  try {
    return await service.parseAddress(text);
  } catch (error) {
    if (!isAddressError(error)) throw error;
    issues.push({ path: ["path", "address"], code: error.code, message: error.message });
  }
}
