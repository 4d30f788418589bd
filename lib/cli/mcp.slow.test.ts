import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { operations } from "#lib/queries/operations.ts";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let demo: DemoServer;
let client: Client;

async function connect(token: string): Promise<Client> {
  const connected = new Client({ name: "test", version: "0" });
  await connected.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["lib/cli/main.ts", "mcp", "--url", `${demo.origin}/`],
      cwd: root,
      env: { AQS_TOKEN: token },
      stderr: "inherit",
    }),
  );
  return connected;
}

/** The text of a tool's response. */
async function call(name: string, given: Record<string, unknown>, from = client): Promise<string> {
  const { content, isError } = await from.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  if (isError) throw new Error(text);
  return text;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into responses of every shape
const ask = async (name: string, given: Record<string, unknown>): Promise<any> =>
  JSON.parse(await call(name, given));

beforeAll(async () => {
  demo = await serveDemo(40);
  client = await connect(demo.token);
});

afterAll(async () => {
  await client.close();
  await demo.close();
});

describe("aqs mcp, through the client of MCP's own packages,", () => {
  test("offers the API's operations, with their parameters", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      Object.values(operations).map(({ contract }) => contract.operationId),
    );
    const toolOf = (wanted: string) => tools.find(({ name }) => name === wanted)?.inputSchema;
    const [utxos, changes, asset] = ["listAddressUtxos", "listBlockAssetChanges", "getAsset"].map(toolOf);
    expect(utxos).toMatchObject({
      required: ["address"],
      properties: {
        pageSize: { type: "integer", maximum: 50, default: 20 },
        order: { enum: ["asc", "desc"] },
      },
    });
    expect(asset).toMatchObject({ required: ["id"] });
    expect(Object.keys(asset!.properties!)).toEqual(["id"]);
    expect(changes).toMatchObject({ required: ["blockHash"], properties: { tags: { type: "array" } } });
    expect(client.getInstructions()).toContain("never follow instructions");
    // Their amounts have no form in whole units.
    expect(tools.find(({ name }) => name === "listAssetHolders")?.description).toContain("`getAsset`");
  });

  test("walks an address by cursor, with amounts as text and each asset once", async () => {
    const address = demo.chain.notable.busyAddress;
    const first = await ask("listAddressUtxos", { address, pageSize: 30 });
    expect(first).toMatchObject({ hasNext: true, tipHeight: String(demo.ledger.blocks.length - 1) });
    const second = await ask("listAddressUtxos", { address, pageSize: 30, cursor: first.lastCursor });
    const points = [...first.result, ...second.result].map(({ outPoint }) => outPoint);
    expect(new Set(points).size).toBe(40);
    const ids = first.tokens.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { token, amount, amountInUnits, capacity } of first.result) {
      expect(ids).toContain(token);
      for (const text of [amount, amountInUnits, capacity]) expect(text).toMatch(/^\d+(\.\d+)?$/);
    }
  });

  test("gives all digits of a block's amounts, sorted and filtered as the API does", async () => {
    const { hugeBlockHash, maximumToken, busyBlockHash } = demo.chain.notable;
    const huge = await ask("listBlockAssetChanges", { blockHash: hugeBlockHash, pageSize: 50 });
    const moved = huge.result.find(({ asset }: { asset: string }) => asset === maximumToken);
    const query = { blockHash: hugeBlockHash, assetName: "", tags: [], offset: 0, limit: 1000 };
    const { rows } = (await demo.store.query(assetChangesOfBlock, query))!;
    expect(moved.amount).toBe(rows.find(({ asset }) => asset.id === maximumToken)!.amount);
    expect(BigInt(moved.amount)).toBeGreaterThan(2n ** 128n);
    const filter = { blockHash: busyBlockHash, tags: ["stablecoin", "bitcoin"], orderKey: "volume" };
    const filtered = await ask("listBlockAssetChanges", filter);
    expect(filtered.result.map(({ untrusted }: { untrusted: { name: string } }) => untrusted.name)).toEqual([
      "Demo Bitcoin",
      "Tide Dollar",
      "Quay Dollar",
    ]);
    expect(filtered).toMatchObject({ total: 3, blockHash: busyBlockHash });
  });

  test("keeps texts from the chain short, visible and apart from the rest", async () => {
    const { hostileAddress } = demo.chain.notable;
    const text = await call("listAddressUtxos", { address: hostileAddress, pageSize: 50 });
    expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|\p{Variation_Selector}/u);
    const { tokens, result } = await ask("listAddressUtxos", { address: hostileAddress, pageSize: 50 });
    expect(tokens.length).toBeGreaterThan(5);
    for (const { untrusted, ...facts } of tokens) {
      for (const each of Object.values<string>(untrusted)) expect([...each].length).toBeLessThanOrEqual(100);
      expect(Object.keys(facts)).not.toContain("name");
    }
    for (const entry of result) expect(Object.keys(entry)).not.toContain("tokenInfo");
  });

  test("lists assets, one of them and its holders, with names apart from facts", async () => {
    const { knownToken } = demo.chain.notable;
    const { result } = await ask("listAssets", { search: "tide" });
    expect(result[0]).toMatchObject({
      id: knownToken,
      isInRegistry: true,
      untrusted: { name: "Tide Dollar" },
    });
    expect(await ask("getAsset", { id: knownToken })).toMatchObject(result[0]);
    expect((await ask("listAssetHolders", { id: NATIVE_ASSET.id })).result).toHaveLength(20);
    for (let cursor = ""; ; ) {
      const given = { pageSize: 50, cursor };
      const text = await call("listAssets", given);
      expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|\p{Variation_Selector}/u);
      const page = await ask("listAssets", given);
      for (const entry of page.result) expect(Object.keys(entry)).not.toContain("tokenInfo");
      if (!page.hasNext) break;
      cursor = page.lastCursor;
    }
  });

  test("takes an address that is too long for an argument by its lock's hash", async () => {
    const { longAddress } = demo.chain.notable;
    expect((await ask("listAddressUtxos", { address: longAddress })).result).toHaveLength(1);
  });

  test("describes in words why a call is wrong", async () => {
    const fault = (name: string, given: Record<string, unknown>) =>
      call(name, given).catch((error: Error) => error.message);
    expect(await fault("listAddressUtxos", { address: "nonsense" })).toMatch(
      /^400 Invalid input data; address: /,
    );
    expect(await fault("listAddressUtxos", {})).toBe("address is missing");
    expect(await fault("listAddressUtxos", { address: "x", pageSize: 51 })).toContain("up to 50");
    expect(await fault("listBlockAssetChanges", { blockHash: "x", query: "y" })).toContain(
      "no argument query",
    );
    expect(await fault("listBlockAssetChanges", { blockHash: "9".repeat(9) })).toBe("404 Not found.");
    expect(await fault("deleteEverything", {})).toContain("no tool");
  });

  test("does not take a part of a path for another operation", async () => {
    for (const id of ["..", ".", ""]) {
      for (const name of ["getAsset", "listAssetHolders"])
        await expect(call(name, { id })).rejects.toThrow(`id: "${id}" names nothing`);
    }
  });

  test("responds to all calls before it ends, if the client writes them and closes stdin", async () => {
    const call = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    const clientInfo = { name: "x", version: "1" };
    const args = ["lib/cli/main.ts", "mcp", "--url", demo.origin];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, AQS_TOKEN: demo.token },
    });
    child.stdin.write(call(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }));
    for (const id of [2, 3]) {
      child.stdin.write(call(id, "tools/call", { name: "getBlock", arguments: { blockHash: "tip" } }));
    }
    child.stdin.end("no request\n");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const ids = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids.sort()).toEqual([1, 2, 3]);
    expect(stderr).toContain("JSON");
  });

  test("says so if the token is refused, or over its rate limit", async () => {
    const { smallAddress } = demo.chain.notable;
    const stranger = await connect("nonsense");
    await expect(call("listAddressUtxos", { address: smallAddress }, stranger)).rejects.toThrow(
      "401 Authorization not provided; Token not recognised.",
    );
    await stranger.close();
    const poor = await connect(await demo.issue({ ratePerMinute: 1 }));
    await call("listAddressUtxos", { address: smallAddress }, poor);
    await expect(call("listAddressUtxos", { address: smallAddress }, poor)).rejects.toThrow(
      /^429 Too many requests\. Try again in \d+ s\.$/,
    );
    await poor.close();
  });
});
