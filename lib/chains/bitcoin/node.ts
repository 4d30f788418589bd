import pLimit from "p-limit";
import { z } from "zod";
import { JsonRpc, type RpcOptions } from "#lib/chains/json-rpc.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import { type NodeConnection, SourceError } from "#lib/contract/source.ts";
import { parseBlock, toOutputs } from "./block.ts";
import { ByteReader } from "./bytes.ts";
import { toName } from "./hashes.ts";
import { ComparedOutputs, outputSetInfo } from "./live-outputs.ts";
import { type Currency, HEADER_BYTES, type Network } from "./networks.ts";
import { type RawTransaction, readTransaction, readTransactions } from "./transaction.ts";

/** Error codes (`rpc/protocol.h` of Bitcoin Core). */
const NO_SUCH_HEIGHT = -8;
const NOT_FOUND = -5;

/** Transactions of one request; each may be as large as a block. */
const TRANSACTIONS_AT_ONCE = 4;
const SLOW_TIMEOUT = 3_600_000;
/** A node has four threads for requests, and refuses more than a few that wait. */
const REQUESTS_AT_ONCE = 4;

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => `0x${text}`);
const hex = z
  .string()
  .regex(/^(?:[0-9a-f]{2})*$/)
  .transform((text) => Buffer.from(text, "hex"));
const chainInfo = z.object({ chain: z.string(), blocks: z.int().min(0), bestblockhash: hash });

/** Removes `0x`, which nodes do not write. */
const bare = (name: string): string => name.slice("0x".length);

/**
 * A node over its JSON-RPC and, if available, its REST interface (`doc/REST-interface.md` of Bitcoin Core), which sends
 * blocks as bytes instead of hex. Each request is for one block, because even four of the largest ones take long.
 */
export class BitcoinNode implements NodeConnection {
  readonly native;
  readonly #currency: Currency;
  readonly #rpc: JsonRpc;
  /** Sends calls for which the node reads its whole database. */
  readonly #slowRpc: JsonRpc;
  readonly #inTurn = pLimit({ concurrency: REQUESTS_AT_ONCE, rejectOnClear: true });
  #network: Network | undefined;
  #hasRest = false;

  constructor(currency: Currency, url: string, options?: RpcOptions) {
    this.native = currency.native;
    this.#currency = currency;
    this.#rpc = new JsonRpc(url, options);
    this.#slowRpc = new JsonRpc(url, { ...options, timeout: SLOW_TIMEOUT });
  }

  async identity() {
    const { name } = await this.#learn();
    return { network: name, native: this.native, demo: false };
  }

  /** Finds out which network the node is on, and whether it has the REST interface. Asks again after REST has failed. */
  async #learn(): Promise<Network> {
    if (this.#network) return this.#network;
    const { chain } = await this.#rpc.call(chainInfo, "getblockchaininfo");
    const network = this.#currency.networks.find((each) => each.chain === chain);
    if (!network) throw new Error(`${this.#rpc.name}: unknown chain ${JSON.stringify(chain)}`);
    const { genesis, other } = network;
    const first = await this.hashAt(0);
    if (first !== genesis) {
      // A node that builds its index anew may not have it yet.
      if (first === null) throw this.#rpc.fault("has no first block");
      throw new Error(
        `${this.#rpc.name}: its first block is ${first}, which is not that of ${this.#currency.name}'s ${network.name}`,
      );
    }
    if (other && (await this.hashAt(other.height))?.startsWith(other.hash)) {
      throw new Error(`${this.#rpc.name}: is a node of ${other.name}`);
    }
    this.#hasRest = await this.#rpc.get("/rest/chaininfo.json").then(
      // A proxy may answer any path.
      (body) => chainInfo.safeParse(parsed(body)).data?.chain === chain,
      () => false,
    );
    this.#network = network;
    return network;
  }

  async tip() {
    const info = await this.#rpc.call(chainInfo, "getblockchaininfo");
    return { height: info.blocks, hash: info.bestblockhash };
  }

  async hashAt(height: number) {
    const [found] = await this.#hashes(height, height);
    return found ?? null;
  }

  /** The hashes from one height to another, or to the node's last one. */
  async #hashes(from: number, to: number, signal?: AbortSignal): Promise<string[]> {
    const method = "getblockhash";
    const calls = Array.from({ length: to - from + 1 }, (_, i) => ({ method, params: [from + i] }));
    const responses = await this.#rpc.responses(calls, signal);
    const end = responses.findIndex(({ error }) => error?.code === NO_SUCH_HEIGHT);
    return (end === -1 ? responses : responses.slice(0, end)).map((response) =>
      this.#rpc.read(hash, this.#rpc.resultOf(response, method), method),
    );
  }

  async blocks(from: number, to: number, signal?: AbortSignal) {
    const network = await this.#learn();
    const names = await this.#inTurn(() => this.#hashes(from, to, signal));
    return Promise.all(
      names.map((name, i) =>
        this.#inTurn(async () => {
          const bytes = await this.#blockBytes(name, signal);
          const height = from + i;
          const where = `${this.#rpc.name}: block ${height}`;
          const place = { currency: this.#currency, network, height, where };
          const block = this.#rpc.checked(() => parseBlock(bytes, place));
          if (block.hash !== name) throw new SourceError(`${where}: returned block ${block.hash}`);
          return block;
        }),
      ),
    );
  }

  async #blockBytes(name: string, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted();
    if (this.#hasRest) {
      return this.#rpc.get(`/rest/block/${bare(name)}.bin`, signal).catch((error) => {
        // The node may have been restarted without it.
        if (!signal?.aborted) this.#network = undefined;
        throw error;
      });
    }
    const method = "getblock";
    const [bytes] = await this.#rpc.results([{ method, params: [bare(name), 0] }], signal);
    return this.#rpc.read(hex, bytes, method);
  }

  async outputs(outPoints: OutPoint[]) {
    const network = await this.#learn();
    const method = "getrawtransaction";
    return this.#rpc.outputs(outPoints, TRANSACTIONS_AT_ONCE, async (names) => {
      const responses = await this.#rpc.responses(names.map((name) => ({ method, params: [bare(name)] })));
      return names.map((name, n) => {
        const response = responses[n]!;
        if (response.error?.code === NOT_FOUND) {
          throw this.#rpc.fault(
            `does not know transaction ${bare(name)}: to start above its first block, it needs the setting txindex=1`,
          );
        }
        const bytes = this.#rpc.read(hex, this.#rpc.resultOf(response, method), method);
        const where = `${this.#rpc.name}: transaction ${bare(name)}`;
        const transaction = this.#rpc.checked(() => parseTransaction(bytes, where, this.#currency));
        if (toName(transaction.id) !== name) throw new SourceError(`${where}: returned another transaction`);
        return [name, toOutputs(transaction, network, null)] as const;
      });
    });
  }

  liveOutputs() {
    const method = "gettxoutsetinfo";
    return new ComparedOutputs(this.#currency, {
      outputSetInfo: () => this.#slowRpc.call(outputSetInfo, method),
      hashAt: (height) => this.hashAt(height),
      transactionsOf: async (name) => {
        await this.#learn();
        const reader = new ByteReader(await this.#blockBytes(name), `${this.#rpc.name}: block ${bare(name)}`);
        return this.#rpc.checked(() => {
          reader.take(HEADER_BYTES);
          return readTransactions(reader, this.#currency);
        });
      },
    });
  }

  close(): void {
    this.#inTurn.clearQueue();
  }
}

/** Returns undefined for text that is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function parseTransaction(bytes: Buffer, where: string, currency: Currency): RawTransaction {
  const reader = new ByteReader(bytes, where);
  const transaction = readTransaction(reader, currency);
  if (reader.left > 0) throw reader.fault(`${reader.left} bytes too many`);
  return transaction;
}
