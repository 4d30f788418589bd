import { z } from "zod";
import { fetchBody, reasonOf } from "#lib/contract/http.ts";
import { excessAt } from "#lib/contract/json.ts";
import { InvalidChainDataError, type OutPoint, type Output, outPointText } from "#lib/contract/ledger.ts";
import { type ChainSource, parseRemoteUrl, type RemoteUrl, SourceError } from "#lib/contract/source.ts";
import { GENESIS_HASHES, NATIVE_ASSET } from "./constants.ts";
import type { Network } from "./known-scripts.ts";
import { nodeHash, nodeHeader } from "./schema.ts";
import { parseSerializedBlock, parseSerializedTransaction } from "./serialized.ts";

/** How long one request may take, in milliseconds. */
const TIMEOUT = 30_000;
/** Larger than any expected response: 16 of the largest blocks are 20 MB. Four may arrive at once. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Far more than the header with which a node answers; blocks and transactions are one text each. */
const MAX_LEVELS = 16;
const MAX_VALUES_A_CALL = 1_000;
/** Transactions of one request; the largest ones are as large as blocks. */
const TRANSACTIONS_AT_ONCE = 16;

interface Call {
  method: string;
  params: unknown[];
}

const rpcError = z.object({ code: z.int(), message: z.string() });
const rpcReply = z.object({ id: z.int(), result: z.unknown().optional(), error: rpcError.nullish() });
const nodeTransactionText = z.object({ transaction: z.string().nullable() });
/** The response of a node that refuses a whole batch. */
const rpcRefusal = z.object({ error: rpcError });

/** By the node's own names of chains. A devnet uses testnet's address prefix. */
const NETWORKS: Record<string, Network> = { ckb: "mainnet", ckb_testnet: "testnet", ckb_dev: "testnet" };

const toHex = (value: number): string => `0x${value.toString(16)}`;

/**
 * A CKB node over its JSON-RPC (ckb's `rpc/README.md`). Blocks come serialised (verbosity 0): that is half the bytes, and
 * what the hashes cover.
 */
export class CkbNode implements ChainSource {
  readonly native = NATIVE_ASSET;
  readonly #remote: RemoteUrl;
  readonly #signal: AbortSignal | undefined;
  readonly #timeout: number;
  #network: Network | undefined;
  #nextId = 0;

  /** Aborting `signal` cancels requests; `timeout` is for each one, in milliseconds. */
  constructor(url: string, signal?: AbortSignal, timeout = TIMEOUT) {
    this.#remote = parseRemoteUrl(url);
    this.#signal = signal;
    this.#timeout = timeout;
  }

  async identity() {
    return { network: await this.network(), native: NATIVE_ASSET, demo: false };
  }

  /** Requested once: a node does not change its chain while it runs. */
  async network(): Promise<Network> {
    if (this.#network) return this.#network;
    const [info, first] = await this.#batch([
      { method: "get_blockchain_info", params: [] },
      { method: "get_block_hash", params: ["0x0"] },
    ]);
    const { chain } = this.#read(z.object({ chain: z.string() }), info, "get_blockchain_info");
    const genesis = this.#read(nodeHash.nullable(), first, "get_block_hash");
    const network = NETWORKS[chain];
    if (!network) throw new Error(`${this.#remote.name}: unknown chain ${JSON.stringify(chain)}`);
    if (chain === "ckb" && genesis !== GENESIS_HASHES.mainnet) {
      throw new Error(
        `${this.#remote.name}: says it is mainnet, but its first block is ${genesis ?? "missing"}`,
      );
    }
    this.#network = network;
    return network;
  }

  async tip() {
    const { number, hash } = await this.#call(nodeHeader, "get_tip_header");
    const height = Number(number);
    if (!Number.isSafeInteger(height)) throw this.#fault(`no block can be ${number}`);
    return { height, hash };
  }

  hashAt(height: number) {
    return this.#call(nodeHash.nullable(), "get_block_hash", toHex(height));
  }

  async blocks(from: number, to: number, signal?: AbortSignal) {
    const network = await this.network();
    const calls = Array.from({ length: to - from + 1 }, (_, i) => ({
      method: "get_block_by_number",
      params: [toHex(from + i), "0x0"],
    }));
    const results = await this.#batch(calls, signal);
    const end = results.indexOf(null);
    return (end === -1 ? results : results.slice(0, end)).map((packed, i) => {
      const height = from + i;
      const where = `${this.#remote.name}: block ${height}`;
      const text = this.#read(z.string(), packed, "get_block_by_number");
      const block = this.#checked(() => parseSerializedBlock(text, network, where));
      if (block.height !== height) throw new SourceError(`${where}: answered with block ${block.height}`);
      return { ...block, bytes: text.length };
    });
  }

  async outputs(outPoints: OutPoint[]) {
    const network = await this.network();
    const hashes = [...new Set(outPoints.map((outPoint) => outPoint.transactionHash))];
    const created = new Map<string, Output[]>();
    for (let i = 0; i < hashes.length; i += TRANSACTIONS_AT_ONCE) {
      const wanted = hashes.slice(i, i + TRANSACTIONS_AT_ONCE);
      const method = "get_transaction";
      const results = await this.#batch(wanted.map((hash) => ({ method, params: [hash, "0x0"] })));
      for (const [n, hash] of wanted.entries()) {
        const { transaction } = this.#read(nodeTransactionText, results[n], method);
        if (transaction === null) continue;
        const where = `${this.#remote.name}: transaction ${hash}`;
        const parsed = this.#checked(() => parseSerializedTransaction(transaction, network, where));
        if (parsed.hash !== hash) throw new SourceError(`${where}: answered with transaction ${parsed.hash}`);
        created.set(hash, parsed.outputs);
      }
    }
    const outputs = new Map<string, Output>();
    for (const outPoint of outPoints) {
      const output = created.get(outPoint.transactionHash)?.[outPoint.outputIndex];
      if (output) outputs.set(outPointText(outPoint), output);
    }
    return outputs;
  }

  #fault(message: string): SourceError {
    return new SourceError(`${this.#remote.name}: ${message}`);
  }

  /** A fault in a response is the node's, and may be gone at the next attempt. */
  #checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof InvalidChainDataError) throw new SourceError(error.message);
      throw error;
    }
  }

  #read<T>(schema: z.ZodType<T>, value: unknown, method: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    throw this.#fault(`${method} returned an unexpected form: ${path.join(".")} ${message}`);
  }

  async #call<T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
    const [result] = await this.#batch([{ method, params }]);
    return this.#read(schema, result, method);
  }

  /** Sends several calls in one HTTP request; returns the results in the order of the calls. */
  async #batch(calls: Call[], signal?: AbortSignal): Promise<unknown[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = JSON.stringify(calls.map((call, i) => ({ jsonrpc: "2.0", id: first + i, ...call })));
    const answer = await this.#post(body, calls.length, signal);
    const refused = rpcRefusal.safeParse(answer);
    if (refused.success) throw this.#fault(`${calls.length} calls at once: ${refused.data.error.message}`);
    const replies = this.#read(z.array(rpcReply), answer, calls[0]?.method ?? "batch");
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return calls.map((call, i) => {
      const reply = byId.get(first + i);
      if (!reply) throw this.#fault(`no answer to ${call.method}`);
      if (reply.error) throw this.#fault(`${call.method}: ${reply.error.message}`);
      return reply.result;
    });
  }

  async #post(body: string, calls: number, givenUp?: AbortSignal): Promise<unknown> {
    const { url, headers } = this.#remote;
    const signal = AbortSignal.any([this.#signal, givenUp].filter((each) => each !== undefined));
    try {
      const answer = await fetchBody(
        url,
        { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body, signal },
        { most: MAX_ANSWER_BYTES, timeout: this.#timeout },
      );
      const text = answer.toString();
      const values = calls * MAX_VALUES_A_CALL;
      if (excessAt(text, { levels: MAX_LEVELS, values }) !== null) {
        throw new Error(
          `the answer has more than ${values} values, or is nested more than ${MAX_LEVELS} levels deep`,
        );
      }
      return JSON.parse(text);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof SyntaxError) throw this.#fault(`the answer is not JSON: ${error.message}`);
      const isLate = error instanceof Error && error.name === "TimeoutError";
      throw this.#fault(isLate ? `no answer within ${this.#timeout / 1000} s` : reasonOf(error));
    }
  }
}
