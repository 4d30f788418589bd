import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "#lib/config.ts";
import type { OperationName } from "#lib/queries/operations.ts";
import { handle } from "#lib/server/api-handler.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { createService, type Service } from "./service.ts";

describe.each(engines)("the heights that an index on $name covers", ({ open }) => {
  let store: Store;
  let service: Service;
  let token: string;

  beforeEach(async () => {
    store = await open();
    service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    ({ token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: 0 }));
  });
  afterEach(() => store.close());

  async function take(...heights: number[]): Promise<void> {
    const ledger = new Ledger();
    for (let height = 0; height < 30; height++) ledger.block();
    await store.write(identify, identity);
    const wanted = heights.map((height) => ledger.blocks[height]!);
    await storeBlocks(store, wanted, { extendTip: false });
  }

  async function coverageOf(name: OperationName | null, params: Record<string, string>, accept = "*/*") {
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept };
    const response = await handle(service, name, {
      method: "GET",
      params,
      query: "",
      header: (header) => headers[header],
    });
    const value = response.headers["X-Index-Coverage"];
    return value && Buffer.from(value, "latin1").toString();
  }

  test("are in every response while some are missing, and in none when all are there", async () => {
    const address = "ckt1qyqd5eyygtdmwdr7ge736zw6z0ju6wsw7rssu8fcve";
    const answers = () =>
      Promise.all([
        coverageOf("addressUtxos", { address }),
        coverageOf("addressUtxos", { address }, "application/x-ndjson"),
        coverageOf("addressUtxos", { address: "none" }),
        coverageOf("blockAssetChanges", { blockHash: "tip" }),
        coverageOf("blockAssetChanges", { blockHash: "2" }),
        coverageOf(null, {}),
      ]);
    const same = (value: string | undefined) => Array(6).fill(value);
    await take(1, 4);
    expect(await answers()).toEqual(same("1, 4"));
    await take(0, 2, 3);
    expect(await answers()).toEqual(same(undefined));
    await take(6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26);
    expect(await answers()).toEqual(same("0-4, 6, 8, 10, 12, 14, 16, 18, 20, 22, …"));
    await store.write(revertTo, 7);
    expect(await answers()).toEqual(same("0-4, 6"));
  });

  test("have the same bytes over HTTP, whether the response is a list or an error", async () => {
    const even = Array.from({ length: 15 }, (_, i) => 2 * i);
    await take(...even);
    const none = async (_: unknown, response: ServerResponse) => void response.end();
    const server = createServer(service, new Framework(none)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const seen = async (path: string, authorization = `Bearer ${token}`) => {
      const { status, headers } = await fetch(origin + path, { headers: { authorization } });
      return [status, Buffer.from(headers.get("x-index-coverage")!, "latin1").toString()];
    };
    const coverage = "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, …";
    const answers = {
      200: await seen("/v0/blocks/tip/asset-changes"),
      400: await seen("/v0/blocks/tip/asset-changes?page=0"),
      401: await seen("/v0/assets", "none"),
      404: await seen("/v0/nothing"),
    };
    server.close();
    server.closeAllConnections();
    for (const [status, answer] of Object.entries(answers))
      expect(answer).toEqual([Number(status), coverage]);
  });
});
