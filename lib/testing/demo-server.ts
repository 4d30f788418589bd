import type { AddressInfo } from "node:net";
import { issueToken } from "#lib/api/access-tokens.ts";
import type { ApiContext } from "#lib/api/api-context.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { type DemoChain, demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { loadDemo } from "#lib/demo/load.ts";
import type { DemoLedger, DemoNode } from "#lib/demo/types.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";

/** A store behind a real server, without pages. */
export interface ServedStore {
  origin: string;
  /** An access token with all scopes. */
  token: string;
  store: Store;
  /** Another access token; no scopes mean all. */
  issue(options?: { scopes?: Scope[]; ratePerMinute?: number }): Promise<string>;
  /** Serves the same data with other settings or parts, until `close`. Resolves to the origin. */
  serve(settings?: Record<string, string>, parts?: Partial<ApiContext>): Promise<string>;
  close(): Promise<void>;
}

export interface DemoServer extends ServedStore {
  chain: DemoChain;
  ledger: DemoLedger;
}

/** Loads a demo chain into memory and serves it on a free port. */
export async function serveDemo(liveOutputs: number, parts: Partial<ApiContext> = {}): Promise<DemoServer> {
  const chain = demoChain({ liveOutputs });
  const ledger = demoLedger(chain);
  const store = await openStore("sqlite::memory:");
  await loadDemo(store, ledger);
  return { ...(await serveStore(store, parts)), chain, ledger };
}

/** Serves what the store holds on a free port. Closing closes the store, too. */
export async function serveStore(store: Store, parts: Partial<ApiContext> = {}): Promise<ServedStore> {
  const closing: (() => Promise<void>)[] = [];

  const issue: ServedStore["issue"] = async ({ scopes = [], ratePerMinute = null } = {}) => {
    const options = { name: "demo", scopes, expiresAt: null, now: Date.now(), ratePerMinute };
    return (await issueToken(store, options)).token;
  };
  const serve: ServedStore["serve"] = async (settings = {}, more = parts) => {
    const config = readConfig({ LOG_LEVEL: "silent", ...settings });
    const service = await createService(store, config, more);
    const server = createServer(
      service,
      new Framework(async (_, response) => void response.writeHead(404).end()),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(async () => {
      service.stopping.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return {
    origin: await serve(),
    token: await issue(),
    store,
    issue,
    serve,
    async close() {
      for (const close of closing) await close();
      await store.close();
    },
  };
}

/**
 * A sleep of `followDemo`: time passes as soon as all that the node has is indexed. Resolves to whether the node mines next.
 */
export async function sleepUntilIndexed(
  store: Store,
  miner: DemoNode,
  milliseconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  const isMiner = milliseconds >= 3_000;
  do await new Promise((resolve) => setImmediate(resolve));
  while (isMiner && !signal.aborted && (await store.query(chainTip))?.height !== miner.height);
  return isMiner;
}
