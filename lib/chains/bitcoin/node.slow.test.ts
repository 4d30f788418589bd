import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SourceError } from "#lib/contract/source.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { toName } from "./hashes.ts";
import { bitcoin, litecoin } from "./networks.ts";
import { BitcoinNode } from "./node.ts";
import { hasLitecoind, Litecoind, NO_LITECOIND } from "./testing/litecoind.ts";

const ANYONE = "51";

describe.skipIf(!hasLitecoind)(`a node${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  let plain: Litecoind;
  let full: Litecoind;
  beforeAll(async () => {
    [plain, full] = await Promise.all([Litecoind.start(), Litecoind.start("rest=1", "txindex=1")]);
    const descriptor = await full.descriptorOf(ANYONE);
    await full.call("generatetodescriptor", 40, descriptor);
    for (let height = 1; height <= 40; height++) {
      const hash = await full.call<string>("getblockhash", height);
      await plain.call("submitblock", await full.call<string>("getblock", hash, 0));
    }
  });
  afterAll(() => Promise.all([plain[Symbol.asyncDispose](), full[Symbol.asyncDispose]()]));

  const connect = ({ url, cookie }: Litecoind) => new BitcoinNode(litecoin, url, { cookie });

  test("sends the same blocks over REST and over JSON-RPC, and fewer where its chain ends", async () => {
    const blocks = await connect(full).blocks(0, 40);
    expect(blocks.map(({ height }) => height)).toEqual(Array.from({ length: 41 }, (_, height) => height));
    expect(await connect(plain).blocks(0, 60)).toEqual(blocks);
    expect(await connect(plain).tip()).toEqual({ height: 40, hash: blocks[40]!.hash });
    expect(await connect(plain).blocks(41, 50)).toEqual([]);
    expect(await connect(plain).hashAt(41)).toBeNull();
    expect(await connect(plain).identity()).toEqual({
      network: "regtest",
      native: litecoin.native,
      demo: false,
    });
  });

  test("finds the outputs of older transactions with txindex, and says that it needs it without", async () => {
    const [block] = await connect(plain).blocks(7, 7);
    const { hash, outputs } = block!.transactions[0]!;
    const found = await connect(full).outputs([{ transactionHash: hash, outputIndex: 0 }]);
    expect([...found]).toEqual([[`${hash}:0`, { ...outputs[0], kind: "script" }]]);
    await expect(connect(plain).outputs([{ transactionHash: hash, outputIndex: 0 }])).rejects.toThrow(
      /txindex=1/,
    );
  });

  test("that starts again has another cookie, which is read", async () => {
    const node = connect(plain);
    const tip = await node.tip();
    await plain.restart();
    expect(await node.tip()).toEqual(tip);
  });

  test("without its cookie, or with another one, is refused", async () => {
    await expect(new BitcoinNode(litecoin, plain.url).tip()).rejects.toThrow("HTTP 401");
    const elsewhere = new BitcoinNode(litecoin, plain.url, { cookie: "/nowhere/.cookie" });
    await expect(elsewhere.tip()).rejects.toThrow(/its cookie cannot be read: ENOENT/);
    await expect(elsewhere.tip()).rejects.toThrow(SourceError);
  });

  test("ends with the process that started it, however that ends", async () => {
    const program = `import { Litecoind } from "#lib/chains/bitcoin/testing/litecoind.ts";
      console.log((await Litecoind.start()).url);`;
    // Its leftovers are deleted with this folder.
    const folder = mkdtempSync(join(tmpdir(), "aqs-starter-"));
    const env = { ...process.env, TMPDIR: folder };
    const starter = spawn(process.execPath, ["--input-type=module", "--eval", program], { env });
    const [url] = (await once(starter.stdout, "data")) as [Buffer];
    const answer = () => fetch(url.toString().trim());
    expect((await answer()).status).toBe(405);
    starter.kill("SIGKILL");
    await vi.waitFor(() => expect(answer()).rejects.toThrow(), EVENT_TIMEOUT);
    rmSync(folder, { recursive: true });
  });

  test("of another currency is refused", async () => {
    const { url, cookie } = plain;
    await expect(new BitcoinNode(bitcoin, url, { cookie }).identity()).rejects.toThrow(
      /its first block is 0x530827f3.*, which is not that of Bitcoin's regtest/,
    );
  });
});

describe("a node that lies", () => {
  /** Responds to each call with the value in `answers` for its method, and to paths of REST with those in `rest`. */
  async function lying(answers: Record<string, unknown>, rest: Record<string, string> = {}) {
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        const page = rest[request.url!] ?? rest.any;
        return response.writeHead(page === undefined ? 404 : 200).end(page);
      }
      let body = "";
      request.on("data", (text) => {
        body += text;
      });
      request.on("end", () => {
        const calls = JSON.parse(body) as { id: number; method: string }[];
        const replies = calls.map(({ id, method }) => {
          const answer = answers[method];
          return answer instanceof Error
            ? { id, result: null, error: { code: -1, message: answer.message } }
            : { id, result: answer, error: null };
        });
        response.end(JSON.stringify(replies));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
      node: new BitcoinNode(litecoin, `http://127.0.0.1:${port}/`),
      [Symbol.dispose]() {
        server.closeAllConnections();
        server.close();
      },
    };
  }
  const regtest = litecoin.networks.find(({ name }) => name === "regtest")!;
  const genesis = regtest.genesis.slice(2);
  const info = { chain: "regtest", blocks: 0, bestblockhash: genesis };
  const honest = { getblockchaininfo: info, getblockhash: genesis };

  test.each<[what: string, answers: Record<string, unknown>, message: RegExp]>([
    [
      "an odd height",
      { getblockchaininfo: { ...info, blocks: -1 } },
      /getblockchaininfo returned an unexpected form/,
    ],
    ["an odd hash", { ...honest, getblockhash: "00" }, /getblockhash returned an unexpected form/],
    ["an odd block", { ...honest, getblock: "zz" }, /getblock returned an unexpected form/],
    ["no block", { ...honest, getblock: "" }, /block 0: ends after 0 bytes/],
    ["an error", { ...honest, getblock: new Error("Block not available (pruned data)") }, /pruned data/],
  ])("about %s is found out, and may be asked again", async (_what, answers, message) => {
    using liar = await lying(answers);
    const blocks = liar.node.blocks(0, 0);
    await expect(blocks).rejects.toThrow(message);
    await expect(blocks).rejects.toThrow(SourceError);
  });

  test("behind a host that sends a page for every path is asked over JSON-RPC", async () => {
    const block = new Error("asked over JSON-RPC");
    using liar = await lying({ ...honest, getblock: block }, { any: "<html>Welcome</html>" });
    await expect(liar.node.blocks(0, 0)).rejects.toThrow(/asked over JSON-RPC/);
  });

  test("that no longer has the REST interface is asked over JSON-RPC from then on", async () => {
    const block = new Error("asked over JSON-RPC");
    const rest: Record<string, string> = { "/rest/chaininfo.json": JSON.stringify(info) };
    using liar = await lying({ ...honest, getblock: block }, rest);
    await expect(liar.node.blocks(0, 0)).rejects.toThrow(/HTTP 404/);
    delete rest["/rest/chaininfo.json"];
    await expect(liar.node.blocks(0, 0)).rejects.toThrow(/asked over JSON-RPC/);
  });

  test("that sends another transaction than the one asked for is found out", async () => {
    // Version, an input, an output of nothing, lock time.
    const transaction = `02000000${"01"}${"11".repeat(32)}00000000${"00"}ffffffff${"01"}${"00".repeat(8)}${"00"}00000000`;
    using liar = await lying({ ...honest, getrawtransaction: transaction });
    const asked = [{ transactionHash: toName(Buffer.alloc(32, 7)), outputIndex: 0 }];
    await expect(liar.node.outputs(asked)).rejects.toThrow(/returned another transaction/);
  });
});
