import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type BlockJson,
  packBlock,
  packHeader,
  packTransaction,
  type TransactionJson,
} from "./packed-block.ts";

/** Number of calls that are recorded. */
const MAX_REQUESTS = 10_000;

/** The chain's name, as a node's `get_blockchain_info` gives it. */
export type ChainName = "ckb" | "ckb_testnet" | "ckb_dev";

export type FailureKind =
  /** Status 500 with a text that is not JSON. */
  | "http-500"
  /** Correct headers, half of the body, then the connection closes. */
  | "truncate"
  /** Status 200 with a text that is not JSON. */
  | "garbage"
  /** JSON numbers instead of the node's hex strings. */
  | "wrong-types"
  /** A different last digit in the hash of the requested block, header or transaction, or in its packed form. */
  | "wrong-hash"
  /** One shannon more in the first output of the block or transaction, with unchanged hashes. */
  | "tampered"
  /** No response until the node closes. */
  | "hang"
  /** The connection is reset before a response. */
  | "reset"
  /** Status 200 with a JSON-RPC error object. */
  | "json-rpc-error"
  /** Status 200 with one JSON-RPC error object instead of a batch's responses. */
  | "refused"
  /** Status 200 with a body that continues until the caller hangs up. */
  | "endless";

export interface Failure {
  kind: FailureKind;
  /** Number of HTTP requests that fail this way; 1 by default. */
  count?: number | undefined;
  /** Only requests that call this method; others pass and are not counted. */
  method?: string | undefined;
}

export interface LoggedRequest {
  method: string;
  params: unknown[];
  /** Counts the HTTP requests from 0: the calls of one batch have the same number. */
  httpRequest: number;
}

interface Call {
  id: unknown;
  method: string;
  params?: unknown[] | undefined;
}

type Reply = { jsonrpc: "2.0"; id: unknown } & (
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
);

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function invalidParams(message: string): RpcError {
  return new RpcError(-32602, `Invalid params: ${message}.`);
}

/** A `0x` hex number without leading zeros, as the node accepts it. */
function uintParam(value: unknown, bits: 32 | 64): bigint {
  if (typeof value !== "string") throw invalidParams(`invalid type, expected a 0x-prefixed hex string`);
  if (!value.startsWith("0x")) throw invalidParams(`Invalid Uint${bits} ${value}: without \`0x\` prefix`);
  if (!/^0x(0|[1-9a-f][0-9a-f]*)$/.test(value) || value.length > 2 + bits / 4) {
    throw invalidParams(`Invalid Uint${bits} ${value}`);
  }
  return BigInt(value);
}

function hashParam(value: unknown): string {
  if (typeof value !== "string" || !/^0x[0-9a-f]{64}$/.test(value)) {
    throw invalidParams("expected a 0x-prefixed hex string with 64 digits");
  }
  return value;
}

/** Picks the JSON or the packed form: `json` is the verbosity of the former, 0 of the latter. */
function inForm<T>(value: T, verbosity: unknown, json: 1n | 2n, pack: (value: T) => string): T | string {
  const level = verbosity === undefined || verbosity === null ? json : uintParam(verbosity, 32);
  if (level === json) return value;
  if (level === 0n) return pack(value);
  throw invalidParams("invalid verbosity level");
}

/**
 * The part of a CKB node that an indexer uses: JSON-RPC over HTTP on a free loopback port. It serves the given
 * blocks and fails on request. Only the blocks' parent links are checked.
 */
export class StandInNode {
  /** Its address: `http://127.0.0.1:<port>/`. */
  readonly url: string;
  /** The latest calls, including failed ones, in order of arrival: at most MAX_REQUESTS. */
  readonly requests: LoggedRequest[] = [];

  readonly #server: Server;
  readonly #chain: ChainName;
  #blocks = new Map<bigint, BlockJson>();
  #byHash = new Map<string, BlockJson>();
  #transactions = new Map<string, { block: BlockJson; transaction: TransactionJson; index: number }>();
  #top = -1n;
  #failures: { kind: FailureKind; left: number; method: string | undefined }[] = [];
  #blockMs = 0;
  #turn: Promise<void> = Promise.resolve();
  #withheldFrom = Number.POSITIVE_INFINITY;
  #hiddenBlocks = 0n;
  #httpRequests = 0;
  #gate: Promise<void> = Promise.resolve();
  #observers: ((method: string, params: unknown[]) => void)[] = [];

  constructor(server: Server, chain: ChainName) {
    this.#server = server;
    this.#chain = chain;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.on("request", (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // Either the caller went away, or there is a bug here that the test must show.
        if (response.headersSent || response.destroyed) {
          request.socket.destroy();
          return;
        }
        response.writeHead(500, { "content-type": "text/plain" });
        response.end(`stand-in node: ${error instanceof Error ? error.stack : String(error)}`);
      });
    });
  }

  static async start(
    options: { chain?: ChainName; blocks?: readonly BlockJson[] } = {},
  ): Promise<StandInNode> {
    const server = createServer({ keepAliveTimeout: 0 });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const node = new StandInNode(server, options.chain ?? "ckb_testnet");
    if (options.blocks) node.setChain(options.blocks);
    return node;
  }

  /** Stops at once and cuts all open connections. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Serves exactly these blocks as the canonical chain. Gaps in height are allowed and return `null`. */
  setChain(blocks: readonly BlockJson[]): void {
    this.#blocks = new Map();
    this.#place(blocks);
  }

  /** Replaces every block from the height of the first one on, like a node that switches to a better branch. */
  reorganise(toBlocks: readonly BlockJson[]): void {
    const [first] = toBlocks;
    if (!first) throw new Error("a reorganisation needs at least one block");
    const height = BigInt(first.header.number);
    for (const number of [...this.#blocks.keys()]) {
      if (number >= height) this.#blocks.delete(number);
    }
    this.#place(toBlocks);
  }

  /** Makes the next `count` HTTP requests fail. Several calls queue up; the first that matches is used. */
  failNext(failure: Failure): void {
    this.#failures.push({ kind: failure.kind, left: failure.count ?? 1, method: failure.method });
  }

  /** Nothing fails any more. */
  failNone(): void {
    this.#failures = [];
  }

  /** Every block takes this long, one after the other, for all callers together; 0 ends it. */
  slowBlocks(ms: number): void {
    this.#blockMs = ms;
  }

  /** Hides the blocks from this height on, while the tip and the hashes still show them. */
  withhold(from: number): void {
    this.#withheldFrom = from;
  }

  /** Hides the highest blocks, as if the node were behind; 0 ends it. */
  lag(blocks: number): void {
    this.#hiddenBlocks = BigInt(blocks);
  }

  /** Holds responses back until the returned function is called; requests are logged as they arrive. */
  hold(): () => void {
    let release = () => {};
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  /** Calls `observer` before each response, so that a test can act between two. Returns a function that removes it. */
  onRequest(observer: (method: string, params: unknown[]) => void): () => void {
    this.#observers.push(observer);
    return () => {
      this.#observers = this.#observers.filter((each) => each !== observer);
    };
  }

  #place(blocks: readonly BlockJson[]): void {
    for (const block of blocks) this.#blocks.set(BigInt(block.header.number), block);
    this.#top = -1n;
    this.#byHash = new Map();
    this.#transactions = new Map();
    for (const [number, block] of this.#blocks) {
      const parent = this.#blocks.get(number - 1n);
      if (parent && parent.header.hash !== block.header.parent_hash) {
        throw new Error(`block ${number} does not follow block ${number - 1n}`);
      }
      if (number > this.#top) this.#top = number;
      this.#byHash.set(block.header.hash, block);
      for (const [index, transaction] of block.transactions.entries()) {
        this.#transactions.set(transaction.hash, { block, transaction, index });
      }
    }
  }

  #tipBlock(): BlockJson {
    let highest = -1n;
    for (const number of this.#blocks.keys()) {
      if (number > highest && number <= this.#top - this.#hiddenBlocks) highest = number;
    }
    const block = this.#blocks.get(highest);
    if (!block) throw new RpcError(-32000, "the node has no blocks");
    return block;
  }

  #visible(block: BlockJson | undefined): BlockJson | undefined {
    if (!block || BigInt(block.header.number) > this.#top - this.#hiddenBlocks) return undefined;
    return block;
  }

  #answer(method: string, params: unknown[], failure: FailureKind | null): unknown {
    const [first, second, third] = params;
    const tampered = <T>(value: T): T => (failure === "tampered" ? withOneShannonMore(value) : value);
    switch (method) {
      case "get_tip_header":
        return inForm(this.#tipBlock().header, first, 1n, packHeader);
      case "get_tip_block_number":
        return this.#tipBlock().header.number;
      case "get_block_by_number":
        if (uintParam(first, 64) >= this.#withheldFrom) return null;
        return blockReply(tampered(this.#visible(this.#blocks.get(uintParam(first, 64)))), second, third);
      case "get_block":
        return blockReply(tampered(this.#visible(this.#byHash.get(hashParam(first)))), second, third);
      case "get_header_by_number": {
        const block = this.#visible(this.#blocks.get(uintParam(first, 64)));
        return block ? inForm(block.header, second, 1n, packHeader) : null;
      }
      case "get_header": {
        const block = this.#visible(this.#byHash.get(hashParam(first)));
        return block ? inForm(block.header, second, 1n, packHeader) : null;
      }
      case "get_block_hash":
        return this.#visible(this.#blocks.get(uintParam(first, 64)))?.header.hash ?? null;
      case "get_transaction": {
        const found = this.#transactions.get(hashParam(first));
        if (!found || !this.#visible(found.block)) return transactionReply(null, { status: "unknown" });
        return transactionReply(inForm(tampered(found.transaction), second, 2n, packTransaction), {
          status: "committed",
          block_hash: found.block.header.hash,
          block_number: found.block.header.number,
          tx_index: `0x${found.index.toString(16)}`,
        });
      }
      case "get_blockchain_info": {
        const { header } = this.#tipBlock();
        return {
          alerts: [],
          chain: this.#chain,
          difficulty: "0x100",
          epoch: header.epoch,
          is_initial_block_download: this.#hiddenBlocks > 0n,
          median_time: header.timestamp,
        };
      }
      default:
        throw new RpcError(-32601, "Method not found");
    }
  }

  #replyTo(call: unknown, failure: FailureKind | null = null): Reply {
    if (!isCall(call)) {
      return { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid request" } };
    }
    try {
      for (const observer of this.#observers) observer(call.method, call.params ?? []);
      const result = this.#answer(call.method, call.params ?? [], failure);
      return { jsonrpc: "2.0", id: call.id ?? null, result };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { jsonrpc: "2.0", id: call.id ?? null, error: { code: error.code, message: error.message } };
    }
  }

  /** Takes the first requested failure that matches these calls. */
  #takeFailure(calls: readonly unknown[]): FailureKind | null {
    const failure = this.#failures.find(
      ({ left, method }) =>
        left > 0 && (method === undefined || calls.some((call) => isCall(call) && call.method === method)),
    );
    if (!failure) return null;
    failure.left -= 1;
    return failure.kind;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST", "content-type": "text/plain" });
      response.end("Used HTTP Method is not allowed. POST is required\n");
      return;
    }

    let body: unknown;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    } catch {
      sendJson(response, { jsonrpc: "2.0", error: { code: -32700, message: "Parse error" }, id: null });
      return;
    }
    const calls = Array.isArray(body) ? body : [body];
    const httpRequest = this.#httpRequests++;
    for (const call of calls) {
      if (!isCall(call)) continue;
      if (this.requests.length >= MAX_REQUESTS) this.requests.shift();
      this.requests.push({ method: call.method, params: call.params ?? [], httpRequest });
    }
    const failure = this.#takeFailure(calls);

    await this.#gate;

    await this.#waitForBlocks(
      calls.filter((call) => isCall(call) && call.method === "get_block_by_number").length,
    );

    if (failure === "hang") return;
    if (failure === "endless") {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      };
      response.on("drain", more);
      more();
      return;
    }
    if (failure === "refused") {
      sendJson(response, { jsonrpc: "2.0", error: { code: -32600, message: "too many calls" }, id: null });
      return;
    }
    if (failure === "reset") {
      request.socket.resetAndDestroy();
      return;
    }
    if (failure === "http-500") {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end("internal error");
      return;
    }
    if (failure === "garbage") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"jsonrpc": "2.0", "result": <html>');
      return;
    }

    const replies = calls.map((call) => spoil(this.#replyTo(call, failure), failure));
    // An empty batch is an invalid request (JSON-RPC 2.0, section 6).
    const answer = Array.isArray(body) && calls.length > 0 ? replies : (replies[0] ?? this.#replyTo(null));
    if (failure === "truncate") {
      const text = Buffer.from(JSON.stringify(answer));
      response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
      response.write(text.subarray(0, Math.floor(text.length / 2)), () => request.socket.destroy());
      return;
    }
    sendJson(response, answer);
  }

  async #waitForBlocks(count: number): Promise<void> {
    if (this.#blockMs === 0) return;
    this.#turn = this.#turn.then(() => new Promise((resolve) => setTimeout(resolve, count * this.#blockMs)));
    await this.#turn;
  }
}

function isCall(value: unknown): value is Call {
  if (typeof value !== "object" || value === null) return false;
  const { jsonrpc, method, params } = value as Record<string, unknown>;
  return jsonrpc === "2.0" && typeof method === "string" && (params === undefined || Array.isArray(params));
}

function sendJson(response: ServerResponse, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  response.end(text);
}

/** Packing a block takes longer than serving it, and a block is requested many times. */
const packed = new WeakMap<BlockJson, string>();

function packOnce(block: BlockJson): string {
  let form = packed.get(block);
  if (form === undefined) {
    form = packBlock(block);
    packed.set(block, form);
  }
  return form;
}

function blockReply(block: BlockJson | undefined, verbosity: unknown, withCycles: unknown): unknown {
  if (!block) return null;
  const form = inForm(block, verbosity, 2n, packOnce);
  return withCycles === true ? { block: form, cycles: null } : form;
}

function transactionReply(transaction: TransactionJson | string | null, status: Record<string, unknown>) {
  return {
    transaction,
    cycles: null,
    fee: null,
    min_replace_fee: null,
    time_added_to_pool: null,
    tx_status: { block_hash: null, block_number: null, tx_index: null, reason: null, ...status },
  };
}

/** Changes the response like a faulty node. */
function spoil(reply: Reply, failure: FailureKind | null): Reply {
  if (failure === "json-rpc-error") {
    return {
      jsonrpc: "2.0",
      id: reply.id,
      error: { code: -1, message: "CKBInternalError: a requested failure", data: null },
    };
  }
  if (!("result" in reply)) return reply;
  if (failure === "wrong-types") return { ...reply, result: withNumbers(reply.result) };
  if (failure === "wrong-hash") return { ...reply, result: withOtherHash(reply.result) };
  return reply;
}

/**
 * Replaces hex numbers by JSON numbers, but not bytes, which are longer or empty. A bare string and a packed transaction
 * become numbers.
 */
function withNumbers(value: unknown): unknown {
  if (typeof value === "string") return /^0x[0-9a-f]{1,16}$/.test(value) ? Number(value) : value.length;
  return JSON.parse(JSON.stringify(value), (key, item) => {
    if (typeof item !== "string") return item;
    if (/^0x[0-9a-f]{1,16}$/.test(item)) return Number(item);
    return key === "transaction" ? item.length : item;
  });
}

function otherLastDigit(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith("0") ? "1" : "0");
}

/** Position of the last digit of a packed transaction's version. The hash does not cover the end, the witnesses. */
const VERSION_END = 2 + 2 * 44;

function withOtherHash(value: unknown): unknown {
  if (typeof value === "string") return otherLastDigit(value);
  const copy = structuredClone(value) as Record<string, unknown> | null;
  if (typeof copy?.transaction === "string") {
    const packed = copy.transaction;
    copy.transaction = otherLastDigit(packed.slice(0, VERSION_END)) + packed.slice(VERSION_END);
  }
  for (const part of [copy, copy?.header, copy?.block, copy?.transaction] as (
    | Record<string, unknown>
    | null
    | undefined
  )[]) {
    if (typeof part?.hash === "string") part.hash = otherLastDigit(part.hash);
  }
  return copy;
}

/** A block or a transaction with another first output. */
function withOneShannonMore<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = structuredClone(value) as {
    transactions?: TransactionJson[];
    outputs?: TransactionJson["outputs"];
  };
  const outputs =
    copy.outputs ?? copy.transactions?.find((transaction) => transaction.outputs.length > 0)?.outputs;
  const output = outputs?.[0];
  if (output) output.capacity = `0x${(BigInt(output.capacity) + 1n).toString(16)}`;
  return copy as T;
}
