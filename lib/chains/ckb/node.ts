import { z } from "zod";
import { fetchAnswer, readAtMost, reasonOf, refuseRedirect } from "#lib/contract/http.ts";
import {
  InvalidChainDataError,
  type NativeAsset,
  type OutPoint,
  type Output,
  outPointText,
} from "#lib/contract/ledger.ts";
import { type ChainSource, parseRemoteUrl, type RemoteUrl, SourceError } from "#lib/contract/source.ts";
import { decodeCell, parseNodeTransaction } from "./block.ts";
import { GENESIS_HASHES, NATIVE_ASSET } from "./constants.ts";
import type { Network } from "./known-scripts.ts";
import { nodeHash, nodeHeader } from "./schema.ts";
import { parseSerializedBlock } from "./serialized.ts";

/** How long one request may take, in milliseconds. */
const TIMEOUT = 30_000;
/** Larger than any expected response: 16 of the largest blocks are 20 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface Call {
  method: string;
  params: unknown[];
}

const rpcError = z.object({ code: z.int(), message: z.string() });
const rpcReply = z.object({ id: z.int(), result: z.unknown().optional(), error: rpcError.nullish() });
/** The response of a node that refuses a whole batch. */
const rpcRefusal = z.object({ error: rpcError });

/** By the node's own names of chains. A devnet uses testnet's address prefix. */
const NETWORKS: Record<string, Network> = { ckb: "mainnet", ckb_testnet: "testnet", ckb_dev: "testnet" };

const toHex = (value: number): string => `0x${value.toString(16)}`;

/**
 * A CKB node over its JSON-RPC (ckb's `rpc/README.md`). Blocks are requested in serialised form (verbosity 0): it has
 * half the bytes of the JSON, and the hashes are computed over the same bytes.
 */
export class CkbNode implements ChainSource {
  readonly native: NativeAsset = NATIVE_ASSET;
  readonly #remote: RemoteUrl;
  readonly #signal: AbortSignal | undefined;
  readonly #timeout: number;
  #network: Network | undefined;
  #nextId = 0;

  /**
   * @param signal cancels requests
   * @param timeout how long one request may take, in milliseconds
   */
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
    const [header] = await this.#batch([{ method: "get_tip_header", params: [] }]);
    const { number, hash } = this.#read(nodeHeader, header, "get_tip_header");
    const height = Number(number);
    if (!Number.isSafeInteger(height))
      throw new SourceError(`${this.#remote.name}: no block can be ${number}`);
    return { height, hash };
  }

  async hashAt(height: number) {
    const [hash] = await this.#batch([{ method: "get_block_hash", params: [toHex(height)] }]);
    return this.#read(nodeHash.nullable(), hash, "get_block_hash");
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
      const block = this.#checked(() =>
        parseSerializedBlock(this.#read(z.string(), packed, "get_block_by_number"), network, where),
      );
      if (block.height !== height) throw new SourceError(`${where}: answered with block ${block.height}`);
      return block;
    });
  }

  async outputs(outPoints: OutPoint[]) {
    const network = await this.network();
    const hashes = [...new Set(outPoints.map((outPoint) => outPoint.transactionHash))];
    const transactions = new Map<string, ReturnType<typeof parseNodeTransaction>>();
    const CALLS_A_REQUEST = 32;
    for (let i = 0; i < hashes.length; i += CALLS_A_REQUEST) {
      const wanted = hashes.slice(i, i + CALLS_A_REQUEST);
      const results = await this.#batch(
        wanted.map((hash) => ({ method: "get_transaction", params: [hash] })),
      );
      for (const [n, hash] of wanted.entries()) {
        const { transaction } = this.#read(
          z.object({ transaction: z.unknown().nullable() }),
          results[n],
          "get_transaction",
        );
        if (transaction === null) continue;
        const where = `${this.#remote.name}: transaction ${hash}`;
        const parsed = this.#checked(() => parseNodeTransaction(transaction, where));
        if (parsed.hash !== hash) throw new SourceError(`${where}: answered with transaction ${parsed.hash}`);
        transactions.set(hash, parsed);
      }
    }
    const outputs = new Map<string, Output>();
    for (const outPoint of outPoints) {
      const { transactionHash, outputIndex } = outPoint;
      const transaction = transactions.get(transactionHash);
      const output = transaction?.outputs[outputIndex];
      const data = transaction?.outputs_data[outputIndex];
      if (output === undefined || data === undefined) continue;
      outputs.set(outPointText(outPoint), decodeCell({ output, data }, network));
    }
    return outputs;
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
    const issue = parsed.error.issues[0];
    throw new SourceError(
      `${this.#remote.name}: ${method} returned an unexpected form: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }

  /** Sends several calls in one HTTP request; returns the results in the order of the calls. */
  async #batch(calls: Call[], signal?: AbortSignal): Promise<unknown[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = JSON.stringify(calls.map((call, i) => ({ jsonrpc: "2.0", id: first + i, ...call })));
    const answer = await this.#post(body, signal);
    const refused = rpcRefusal.safeParse(answer);
    if (refused.success)
      throw new SourceError(
        `${this.#remote.name}: ${calls.length} calls at once: ${refused.data.error.message}`,
      );
    const replies = this.#read(z.array(rpcReply), answer, calls[0]?.method ?? "batch");
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return calls.map((call, i) => {
      const reply = byId.get(first + i);
      if (!reply) throw new SourceError(`${this.#remote.name}: no answer to ${call.method}`);
      if (reply.error) throw new SourceError(`${this.#remote.name}: ${call.method}: ${reply.error.message}`);
      return reply.result;
    });
  }

  async #post(body: string, givenUp?: AbortSignal): Promise<unknown> {
    const { url, headers, name } = this.#remote;
    const timeout = AbortSignal.timeout(this.#timeout);
    const ends = [this.#signal, givenUp].filter((signal) => signal !== undefined);
    // Aborted on failure: the rest of a refused answer is not read, and its connection closes.
    const refused = new AbortController();
    try {
      const response = await fetchAnswer(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([timeout, refused.signal, ...ends]),
      });
      refuseRedirect(response, url);
      const text = await this.#textOf(response);
      if (!response.ok) throw new SourceError(`${name}: HTTP ${response.status}`);
      return JSON.parse(text);
    } catch (error) {
      refused.abort();
      if (error instanceof SourceError || ends.some((signal) => signal.aborted)) throw error;
      if (error instanceof SyntaxError)
        throw new SourceError(`${name}: the answer is not JSON: ${error.message}`);
      if (timeout.aborted) throw new SourceError(`${name}: no answer within ${this.#timeout / 1000} s`);
      throw new SourceError(`${name}: ${reasonOf(error)}`);
    }
  }

  /** The body, up to MAX_ANSWER_BYTES. */
  async #textOf(response: Response): Promise<string> {
    const body = await readAtMost(response, MAX_ANSWER_BYTES);
    if (!body)
      throw new SourceError(`${this.#remote.name}: the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    return body.toString();
  }
}
