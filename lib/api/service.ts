import pino, { type Logger } from "pino";
import { chain } from "#chain/chain.ts";
import { type Config, readConfig, storeOptions } from "#lib/config.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import { openStore } from "#lib/store/open.ts";
import type { ChainIdentity, Store } from "#lib/store/store.ts";
import { type CursorCodec, createCursorCodec } from "./cursor.ts";
import { Limits } from "./limits.ts";
import { RecentTip } from "./recent-tip.ts";

/** What a request needs: made once a process. */
export interface Service {
  config: Config;
  store: Store;
  cursors: CursorCodec;
  limits: Limits;
  /** For answers that read nothing themselves. */
  tip: RecentTip;
  log: Logger;
  /** Milliseconds since the Unix epoch; tests set it. */
  now(): number;
  /** Which chain is served; null while the database is empty. */
  identity(): Promise<ChainIdentity | null>;
  /** Reads any text form of an address of the served network. Throws AddressError. */
  parseAddress(text: string): Promise<ParsedAddress>;
}

export async function createService(
  store: Store,
  config: Config,
  overrides: Partial<Service> = {},
): Promise<Service> {
  // Which chain a database holds never changes once it is known.
  let identity: ChainIdentity | null = null;
  const service: Service = {
    config,
    store,
    cursors: createCursorCodec(await store.cursorKey()),
    limits: new Limits(config.RATE_LIMIT_PER_MINUTE, config.MAX_CONCURRENT_REQUESTS),
    tip: new RecentTip(store, (error) => service.log.error({ err: error }, "the tip could not be read")),
    log: pino({ level: config.LOG_LEVEL, base: null }, pino.destination(2)),
    now: Date.now,
    async identity() {
      identity ??= await store.identity();
      return identity;
    },
    async parseAddress(text) {
      // An empty database has no network yet: an address of any network is valid and holds nothing.
      return chain.parseAddress(text, (await service.identity())?.network ?? null);
    },
    ...overrides,
  };
  return service;
}

const shared = globalThis as { aqsService?: Promise<Service> };

/**
 * The process's service. On `globalThis`, because the framework's bundle and the server load this file
 * apart, and one process needs one connection and one set of limits.
 */
export function getService(): Promise<Service> {
  shared.aqsService ??= open();
  return shared.aqsService;
}

async function open(): Promise<Service> {
  try {
    const config = readConfig();
    return await createService(
      await openStore(config.DATABASE_URL, storeOptions(config, { readOnly: true })),
      config,
    );
  } catch (error) {
    shared.aqsService = undefined;
    throw error;
  }
}
