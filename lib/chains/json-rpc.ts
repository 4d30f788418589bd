import { readFileSync } from "node:fs";
import { z } from "zod";
import { InvalidChainDataError, type OutPoint, type Output, outPointText } from "#lib/contract/ledger.ts";
import { parseRemoteUrl, type RemoteUrl, SourceError } from "#lib/contract/source.ts";
import { fetchBody, reasonOf } from "#lib/util/http.ts";
import { excessAt } from "#lib/util/json.ts";

const TIMEOUT = 30_000;
/** Larger than any expected response: 16 large blocks are 20 MB. Four may arrive at once. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Maximum length at which an error response is quoted. A node sends a sentence; a proxy's page is not worth reading. */
const MAX_REFUSAL_BYTES = 400;
/** Limits of a response's JSON, far above those of a header. Blocks and transactions are one text each. */
const MAX_LEVELS = 16;
const MAX_VALUES_A_CALL = 1_000;

export interface Call {
  method: string;
  params: unknown[];
}

const rpcError = z.object({ code: z.int(), message: z.string() });
const rpcResponse = z.object({ id: z.int(), result: z.unknown().optional(), error: rpcError.nullish() });
/** The response of a node that refuses a whole batch. */
const rpcRefusal = z.object({ error: rpcError });

export type RpcResponse = z.infer<typeof rpcResponse>;

export interface RpcOptions {
  signal?: AbortSignal | undefined;
  /** Timeout of each request, in milliseconds. */
  timeout?: number | undefined;
  /** A file with user name, colon and password. The node rewrites it at each start, so it is read for each request. */
  cookie?: string | undefined;
}

/** A node's JSON-RPC. Every fault in a response is a SourceError, because the next attempt may succeed. */
export class JsonRpc {
  readonly #remote: RemoteUrl;
  readonly #options: RpcOptions;
  #nextId = 0;

  constructor(url: string, options: RpcOptions = {}) {
    this.#remote = parseRemoteUrl(url);
    this.#options = options;
  }

  /** The node's name in messages. */
  get name(): string {
    return this.#remote.name;
  }

  fault(message: string): SourceError {
    return new SourceError(`${this.name}: ${message}`);
  }

  checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof InvalidChainDataError) throw new SourceError(error.message);
      throw error;
    }
  }

  read<T>(schema: z.ZodType<T>, value: unknown, method: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    throw this.fault(
      `${method} returned an unexpected form: ${[path.join("."), message].filter(Boolean).join(" ")}`,
    );
  }

  async call<T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
    const [result] = await this.results([{ method, params }]);
    return this.read(schema, result, method);
  }

  /** Sends several calls in one request, and returns their results in order. Throws if one of them is an error. */
  async results(calls: Call[], signal?: AbortSignal): Promise<unknown[]> {
    const responses = await this.responses(calls, signal);
    return responses.map((response, i) => this.resultOf(response, calls[i]!.method));
  }

  resultOf({ result, error }: RpcResponse, method: string): unknown {
    if (error) throw this.fault(`${method}: ${error.message}`);
    return result;
  }

  /** Sends several calls in one request, and returns their results and errors in order. */
  async responses(calls: Call[], signal?: AbortSignal): Promise<RpcResponse[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = JSON.stringify(calls.map((call, i) => ({ jsonrpc: "2.0", id: first + i, ...call })));
    const batch = await this.#post(body, calls.length, signal);
    const refused = rpcRefusal.safeParse(batch);
    if (refused.success) throw this.fault(`${calls.length} calls at once: ${refused.data.error.message}`);
    const responses = this.read(z.array(rpcResponse), batch, calls[0]?.method ?? "batch");
    const byId = new Map(responses.map((response) => [response.id, response]));
    return calls.map(({ method }, i) => {
      const response = byId.get(first + i);
      if (!response) throw this.fault(`no response to ${method}`);
      return response;
    });
  }

  /**
   * Returns outputs by `outPointText`, without those of transactions that the node does not know.
   * @param atOnce number of transactions in one request
   * @param created requests the outputs of transactions by their hashes
   */
  async outputs(
    outPoints: OutPoint[],
    atOnce: number,
    created: (hashes: string[]) => Promise<(readonly [hash: string, outputs: Output[]])[]>,
  ): Promise<Map<string, Output>> {
    const hashes = [...new Set(outPoints.map(({ transactionHash }) => transactionHash))];
    const byHash = new Map<string, Output[]>();
    for (let i = 0; i < hashes.length; i += atOnce) {
      for (const [hash, outputs] of await created(hashes.slice(i, i + atOnce))) byHash.set(hash, outputs);
    }
    const found = new Map<string, Output>();
    for (const outPoint of outPoints) {
      const output = byHash.get(outPoint.transactionHash)?.[outPoint.outputIndex];
      if (output) found.set(outPointText(outPoint), output);
    }
    return found;
  }

  async #post(body: string, calls: number, givenUp?: AbortSignal): Promise<unknown> {
    const headers = { ...this.#remote.headers, ...this.#credentials(), "Content-Type": "application/json" };
    const response = await this.#fetch(this.#remote.url, { method: "POST", headers, body }, givenUp);
    const text = response.toString();
    const values = calls * MAX_VALUES_A_CALL;
    if (excessAt(text, { levels: MAX_LEVELS, values }) !== null) {
      throw this.fault(
        `the response has more than ${values} values, or is nested more than ${MAX_LEVELS} levels deep`,
      );
    }
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.fault(`the response is not JSON: ${reasonOf(error)}`);
    }
  }

  #credentials(): Record<string, string> {
    const { cookie } = this.#options;
    if (cookie === undefined) return {};
    try {
      const text = readFileSync(cookie, "utf8").trim();
      return { Authorization: `Basic ${Buffer.from(text).toString("base64")}` };
    } catch (error) {
      throw this.fault(`its cookie cannot be read: ${reasonOf(error)}`);
    }
  }

  /** Gets the body at a path of the node's host, without credentials. */
  get(path: string, signal?: AbortSignal): Promise<Buffer> {
    return this.#fetch(new URL(path, this.#remote.url).href, {}, signal);
  }

  async #fetch(url: string, init: RequestInit, givenUp?: AbortSignal): Promise<Buffer> {
    const { timeout = TIMEOUT, signal: ended } = this.#options;
    const signal = AbortSignal.any([ended, givenUp].filter((each) => each !== undefined));
    const limits = { most: MAX_RESPONSE_BYTES, timeout, quoted: MAX_REFUSAL_BYTES };
    try {
      return await fetchBody(url, { ...init, signal }, limits);
    } catch (error) {
      if (signal.aborted) throw error;
      const isLate = error instanceof Error && error.name === "TimeoutError";
      throw this.fault(isLate ? `no response within ${timeout / 1000} s` : reasonOf(error));
    }
  }
}
