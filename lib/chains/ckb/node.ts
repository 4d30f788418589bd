import { z } from "zod";
import { JsonRpc } from "#lib/chains/json-rpc.ts";
import type { Block, OutPoint } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import { GENESIS_HASHES, NATIVE_ASSET } from "./constants.ts";
import type { Network } from "./known-scripts.ts";
import { nodeHash, nodeHeader } from "./schema.ts";
import { parseSerializedBlock, parseSerializedTransaction } from "./serialized.ts";

/** Transactions of one request. The largest ones are as large as blocks. */
const TRANSACTIONS_AT_ONCE = 16;

const nodeTransactionText = z.object({ transaction: z.string().nullable() });

/** Networks by the node's names of chains. Staging and development chains use testnet's address prefix. */
const NETWORKS: Record<string, Network> = {
  ckb: "mainnet",
  ckb_testnet: "testnet",
  ckb_staging: "testnet",
  ckb_dev: "testnet",
};

const toHex = (value: number): string => `0x${value.toString(16)}`;

/** A CKB node over its JSON-RPC. Blocks are requested serialised (verbosity 0), which is half the bytes. */
export class CkbNode implements ChainSource {
  readonly native = NATIVE_ASSET;
  readonly #rpc: JsonRpc;
  #network: Network | undefined;

  /** Aborting `signal` cancels requests. `timeout` applies to each one, in milliseconds. */
  constructor(url: string, signal?: AbortSignal, timeout?: number) {
    this.#rpc = new JsonRpc(url, { signal, timeout });
  }

  async identity() {
    return { network: await this.network(), native: NATIVE_ASSET, demo: false };
  }

  /** The node's network. It is requested once, because a node does not change its chain while it runs. */
  async network(): Promise<Network> {
    if (this.#network) return this.#network;
    const [info, first] = await this.#rpc.results([
      { method: "get_blockchain_info", params: [] },
      { method: "get_block_hash", params: ["0x0"] },
    ]);
    const { chain } = this.#rpc.read(z.object({ chain: z.string() }), info, "get_blockchain_info");
    const genesis = this.#rpc.read(nodeHash.nullable(), first, "get_block_hash");
    const network = NETWORKS[chain];
    if (!network) throw new Error(`${this.#rpc.name}: unknown chain ${JSON.stringify(chain)}`);
    if (chain === "ckb" && genesis !== GENESIS_HASHES.mainnet) {
      throw new Error(
        `${this.#rpc.name}: says it is mainnet, but its first block is ${genesis ?? "missing"}`,
      );
    }
    this.#network = network;
    return network;
  }

  async tip() {
    const { number, hash } = await this.#rpc.call(nodeHeader, "get_tip_header");
    const height = Number(number);
    if (!Number.isSafeInteger(height)) throw this.#rpc.fault(`no block can be ${number}`);
    return { height, hash };
  }

  hashAt(height: number) {
    return this.#rpc.call(nodeHash.nullable(), "get_block_hash", toHex(height));
  }

  async blocks(from: number, to: number, signal?: AbortSignal): Promise<Block[]> {
    const network = await this.network();
    const calls = Array.from({ length: to - from + 1 }, (_, i) => ({
      method: "get_block_by_number",
      params: [toHex(from + i), "0x0"],
    }));
    const results = await this.#rpc.results(calls, signal);
    const end = results.indexOf(null);
    return (end === -1 ? results : results.slice(0, end)).map((packed, i) => {
      const height = from + i;
      const where = `${this.#rpc.name}: block ${height}`;
      const text = this.#rpc.read(z.string(), packed, "get_block_by_number");
      const block = this.#rpc.checked(() => parseSerializedBlock(text, network, where));
      if (block.height !== height) throw new SourceError(`${where}: returned block ${block.height}`);
      return { ...block, bytes: text.length };
    });
  }

  async outputs(outPoints: OutPoint[]) {
    const network = await this.network();
    const method = "get_transaction";
    return this.#rpc.outputs(outPoints, TRANSACTIONS_AT_ONCE, async (hashes) => {
      const results = await this.#rpc.results(hashes.map((hash) => ({ method, params: [hash, "0x0"] })));
      return hashes.flatMap((hash, n) => {
        const { transaction } = this.#rpc.read(nodeTransactionText, results[n], method);
        if (transaction === null) return [];
        const where = `${this.#rpc.name}: transaction ${hash}`;
        const parsed = this.#rpc.checked(() => parseSerializedTransaction(transaction, network, where));
        if (parsed.hash !== hash) throw new SourceError(`${where}: returned transaction ${parsed.hash}`);
        return [[hash, parsed.outputs] as const];
      });
    });
  }
}
