import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseBlock } from "#lib/chains/ckb/block.ts";
import { ckbHash } from "#lib/chains/ckb/hashes.ts";
import { bytesToHex } from "#lib/chains/ckb/hex.ts";
import { serializeTransaction } from "#lib/chains/ckb/molecule.ts";
import { parseSerializedBlock } from "#lib/chains/ckb/serialized.ts";
import { account, treasury, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { packBlock, packHeader, packTransaction } from "./packed-block.ts";
import { StandInNode } from "./stand-in-node.ts";

let node: StandInNode;
let chain: ChainBuilder;

beforeEach(async () => {
  chain = new ChainBuilder();
  chain.mint({ token: udt(treasury), to: account("alice"), amount: 5n });
  chain.block();
  chain.transfer({ to: account("bob") });
  chain.block({ extension: "0x00ff", proposals: ["0x00112233445566778899"] });
  chain.emptyBlocks(2);
  node = await StandInNode.start({ blocks: chain.blocks });
});

afterEach(() => node.close());

async function post(body: unknown): Promise<Response> {
  return fetch(node.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

interface RpcResponse {
  jsonrpc: string;
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

async function reply(method: string, ...params: unknown[]): Promise<RpcResponse> {
  const response = await post({ jsonrpc: "2.0", id: 7, method, params });
  expect(response.status).toBe(200);
  return (await response.json()) as RpcResponse;
}

async function call(method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error, id } = await reply(method, ...params);
  expect(error).toBeUndefined();
  expect(id).toBe(7);
  return result;
}

describe("answers as a node does", () => {
  test("with the tip's header, and a header at a height or of a hash", async () => {
    expect(await call("get_tip_header")).toEqual(chain.tip.header);
    expect(await call("get_tip_block_number")).toBe("0x4");
    expect(await call("get_header_by_number", "0x1")).toEqual(chain.blocks[1]?.header);
    expect(await call("get_header", chain.blocks[2]?.header.hash)).toEqual(chain.blocks[2]?.header);
    expect(await call("get_block_hash", "0x3")).toBe(chain.blocks[3]?.header.hash);
  });

  test("with a block in JSON that stands up to checking", async () => {
    const byNumber = await call("get_block_by_number", "0x2", "0x2");
    expect(byNumber).toEqual(chain.blocks[2]);
    expect(await call("get_block_by_number", "0x2")).toEqual(byNumber);
    expect(await call("get_block", chain.blocks[2]?.header.hash)).toEqual(byNumber);
    expect(parseBlock(byNumber, "testnet", "the node's").height).toBe(2);
    expect(await call("get_block_by_number", "0x2", "0x2", true)).toEqual({ block: byNumber, cycles: null });
  });

  test("with the same block in packed form", async () => {
    const packed = (await call("get_block_by_number", "0x2", "0x0")) as string;
    const expected = parseBlock(chain.blocks[2], "testnet", "JSON");
    expect(parseSerializedBlock(packed, "testnet", "packed")).toEqual(expected);
    const header = (await call("get_tip_header", "0x0")) as string;
    expect(header).toHaveLength(2 + 208 * 2);
    expect(bytesToHex(ckbHash(Buffer.from(header.slice(2), "hex")))).toBe(chain.tip.header.hash);
  });

  test("with null for a block that is not there", async () => {
    expect(await call("get_block_by_number", "0x5")).toBeNull();
    expect(await call("get_header_by_number", "0xffffffff")).toBeNull();
    expect(await call("get_block_hash", "0x5")).toBeNull();
    expect(await call("get_block", `0x${"ab".repeat(32)}`)).toBeNull();
  });

  test("with a transaction and where it was committed, or that it is unknown", async () => {
    const transaction = chain.blocks[1]?.transactions[1];
    expect(await call("get_transaction", transaction?.hash)).toMatchObject({
      transaction,
      tx_status: {
        status: "committed",
        block_hash: chain.blocks[1]?.header.hash,
        block_number: "0x1",
        tx_index: "0x1",
      },
    });
    expect(await call("get_transaction", `0x${"ab".repeat(32)}`)).toMatchObject({
      transaction: null,
      tx_status: { status: "unknown", block_hash: null },
    });
    expect(await call("get_transaction", transaction?.hash, "0x0")).toMatchObject({
      transaction: bytesToHex(serializeTransaction(transaction!)),
    });
  });

  test("with the chain's name", async () => {
    expect(await call("get_blockchain_info")).toMatchObject({ chain: "ckb_testnet", alerts: [] });
    await using other = await StandInNode.start({ chain: "ckb_dev", blocks: chain.blocks });
    const response = await fetch(other.url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "get_blockchain_info", params: [] }),
    });
    expect(await response.json()).toMatchObject({ result: { chain: "ckb_dev" } });
  });

  test("with an error for an unknown method, unreadable parameters, and anything that is not a call", async () => {
    expect((await reply("get_everything")).error).toEqual({ code: -32601, message: "Method not found" });
    for (const params of [[2], ["2"], ["0x02"], ["0x"], [`0x1${"0".repeat(16)}`], []]) {
      expect((await reply("get_block_by_number", ...params)).error?.code).toBe(-32602);
    }
    expect((await reply("get_block", "0x12")).error?.code).toBe(-32602);
    expect((await reply("get_block_by_number", "0x1", "0x1")).error?.message).toContain("verbosity");
    expect(await (await post("{")).json()).toMatchObject({ error: { code: -32700 }, id: null });
    expect(await (await post([])).json()).toMatchObject({ error: { code: -32600 } });
    expect(await (await post({ id: 1, method: "get_tip_header" })).json()).toMatchObject({
      error: { code: -32600 },
    });
    expect((await fetch(node.url)).status).toBe(405);
  });

  test("to several calls in one request", async () => {
    const response = await post([
      { jsonrpc: "2.0", id: "a", method: "get_block_hash", params: ["0x1"] },
      { jsonrpc: "2.0", id: "b", method: "nothing", params: [] },
      { jsonrpc: "2.0", id: "c", method: "get_block_hash", params: ["0x2"] },
    ]);
    expect(await response.json()).toMatchObject([
      { id: "a", result: chain.blocks[1]?.header.hash },
      { id: "b", error: { code: -32601 } },
      { id: "c", result: chain.blocks[2]?.header.hash },
    ]);
    expect(node.requests.map(({ method, httpRequest }) => [method, httpRequest])).toEqual([
      ["get_block_hash", 0],
      ["nothing", 0],
      ["get_block_hash", 0],
    ]);
  });
});

describe("on request", () => {
  test("grows, and reorganises to another branch", async () => {
    const other = chain.fork(2);
    chain.block();
    node.setChain(chain.blocks);
    expect(await call("get_tip_block_number")).toBe("0x5");

    const abandoned = chain.blocks[3]?.header.hash;
    other.transfer({ to: account("carol") });
    other.emptyBlocks(2);
    node.reorganise(other.blocks.slice(3));
    expect(await call("get_tip_header")).toEqual(other.tip.header);
    expect(await call("get_block", abandoned)).toBeNull();
    expect(await call("get_block_hash", "0x2")).toBe(chain.blocks[2]?.header.hash);
    expect(() => node.reorganise(chain.blocks.slice(4))).toThrow("does not follow");
  });

  test("lags behind, with the blocks above it unknown", async () => {
    node.lag(2);
    expect(await call("get_tip_block_number")).toBe("0x2");
    expect(await call("get_block_by_number", "0x3")).toBeNull();
    expect(await call("get_block", chain.tip.header.hash)).toBeNull();
    expect(await call("get_transaction", chain.tip.transactions[0]?.hash)).toMatchObject({
      transaction: null,
    });
    node.lag(0);
    expect(await call("get_tip_block_number")).toBe("0x4");
  });

  test("answers when it is released", async () => {
    const release = node.hold();
    let answered = false;
    const answer = call("get_tip_header").then((header) => {
      answered = true;
      return header;
    });
    while (node.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
    // Meanwhile, requests that are not held get their responses.
    for (let asked = 0; asked < 5; asked++) expect((await fetch(node.url)).status).toBe(405);
    expect(answered).toBe(false);
    release();
    expect(await answer).toEqual(chain.tip.header);
  });

  test("allows a test to act between two calls", async () => {
    const stop = node.onRequest((method) => {
      if (method === "get_block_by_number") node.lag(4);
    });
    expect(await call("get_tip_block_number")).toBe("0x4");
    expect(await call("get_block_by_number", "0x4")).toBeNull();
    stop();
    node.lag(0);
    expect(await call("get_block_by_number", "0x4")).toEqual(chain.tip);
  });

  test("fails as often as requested, and only for the named method", async () => {
    node.failNext({ kind: "http-500", count: 2, method: "get_block_hash" });
    expect(await call("get_tip_block_number")).toBe("0x4");
    const statuses: number[] = [];
    for (let asked = 0; asked < 3; asked++) {
      statuses.push(
        (await post({ jsonrpc: "2.0", id: 1, method: "get_block_hash", params: ["0x1"] })).status,
      );
    }
    expect(statuses).toEqual([500, 500, 200]);
  });

  test("sends an error, a text that is no JSON, or half an answer", async () => {
    node.failNext({ kind: "json-rpc-error" });
    expect((await reply("get_tip_header")).error?.code).toBe(-1);
    node.failNext({ kind: "garbage" });
    await expect((await post({ jsonrpc: "2.0", id: 1, method: "get_tip_header" })).json()).rejects.toThrow(
      SyntaxError,
    );
    node.failNext({ kind: "truncate" });
    const response = await post({ jsonrpc: "2.0", id: 1, method: "get_tip_header" });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(await call("get_tip_header")).toEqual(chain.tip.header);
  });

  test("resets the connection, or never answers", async () => {
    node.failNext({ kind: "reset" });
    await expect(post({ jsonrpc: "2.0", id: 1, method: "get_tip_header" })).rejects.toThrow();
    node.failNext({ kind: "hang" });
    const hanging = expect(post({ jsonrpc: "2.0", id: 1, method: "get_tip_header" })).rejects.toThrow();
    while (node.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await call("get_tip_header")).toEqual(chain.tip.header);
    await node.close();
    await hanging;
  });

  test("lies about types, about hashes, and about amounts", async () => {
    node.failNext({ kind: "wrong-types" });
    expect(await call("get_block_by_number", "0x2")).toMatchObject({ header: { number: 2 } });
    node.failNext({ kind: "wrong-hash" });
    const misnamed = await call("get_block_by_number", "0x2");
    expect(misnamed).not.toEqual(chain.blocks[2]);
    expect(() => parseBlock(misnamed, "testnet", "the node's")).toThrow("header.hash");
    node.failNext({ kind: "tampered" });
    const tampered = await call("get_block_by_number", "0x2");
    expect(() => parseBlock(tampered, "testnet", "the node's")).toThrow("hash");
    expect(parseBlock(await call("get_block_by_number", "0x2"), "testnet", "the node's").height).toBe(2);
  });
});

test("packs blocks and their parts as their hashes say", () => {
  const [block] = chain.blocks.slice(2);
  const transaction = block!.transactions[1]!;
  expect(packTransaction(transaction)).toBe(bytesToHex(serializeTransaction(transaction)));
  expect(bytesToHex(ckbHash(Buffer.from(packHeader(block!.header).slice(2), "hex")))).toBe(
    block?.header.hash,
  );
  expect(packBlock(block!)).toContain(packTransaction(transaction).slice(2));
});
