import { LRUCache } from "lru-cache";
import { chain } from "#lib/chains/chain.ts";
import { type Config, readConfig, storeOptions } from "#lib/config.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import { ApiError, isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import { cursorKey } from "#lib/queries/access-tokens.ts";
import { addressText, chainIdentity } from "#lib/queries/chain.ts";
import { createCursorCodec } from "#lib/queries/cursor.ts";
import { isPositionAhead, isUnavailable } from "#lib/store/errors.ts";
import { openForReading } from "#lib/store/open.ts";
import type { ChainIdentity } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { checkToken } from "./access-tokens.ts";
import type { ApiContext } from "./api-context.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { Availability } from "./availability.ts";
import { keyedDigest } from "./digest.ts";
import { EventHub } from "./event-hub.ts";
import { Limits, type RequestCounter } from "./limits.ts";
import { createLog } from "./log.ts";
import { createOperations, type Operations } from "./operations.ts";
import { RecentTip } from "./recent-tip.ts";
import { ResponseCache } from "./response-cache.ts";
import { Streams } from "./streams.ts";
import { TokenUses } from "./token-uses.ts";
import { EventLoopTicks, WorkQueue } from "./work-queue.ts";

export interface Service extends ApiContext {
  operations: Operations;
  events: EventHub;
}

/** Characters of all addresses in the cache of parsed addresses. Programs walk an address page by page. */
const MAX_ADDRESS_TEXT = 1_000_000;

/** Requests in work with SQLite. It reads in this thread, so they overlap only in compression. */
const SQLITE_IN_WORK = 4;

export async function createService(
  store: Store,
  config: Config,
  overrides: Partial<ApiContext> = {},
  requests?: RequestCounter,
): Promise<Service> {
  let identity: ChainIdentity | null = null;
  const addresses = new LRUCache<string, ParsedAddress>({
    maxSize: MAX_ADDRESS_TEXT,
    sizeCalculation: (_address, text) => text.length,
  });
  const inWork = config.DATABASE_URL.startsWith("sqlite:") ? SQLITE_IN_WORK : config.DATABASE_POOL_SIZE;
  const ticks = new EventLoopTicks();
  const log = overrides.log ?? createLog(config.LOG_LEVEL);
  const key = await store.query(cursorKey);
  const core: ApiContext = {
    config,
    store,
    base: config.PUBLIC_URL || config.BASE_PATH,
    cursors: createCursorCodec(key),
    digestOf: keyedDigest(key),
    limits: new Limits(config.RATE_LIMIT_PER_MINUTE, requests),
    ticks,
    pageQueue: new WorkQueue(config.MAX_CONCURRENT_PAGES, ticks),
    workQueue: new WorkQueue(inWork, ticks),
    streams: new Streams({
      maxStreams: config.MAX_EVENT_STREAMS,
      maxStreamsPerToken: config.MAX_EVENT_STREAMS_PER_TOKEN,
      isValid: async (token) => (await core.checkToken(token)).ok,
      failed: (error) => void core.failureOf(error, { checking: "tokens of streams" }),
    }),
    responseCache: new ResponseCache(config.CACHE_MB * 2 ** 20),
    tip: new RecentTip(store, (error) => core.failureOf(error, { reading: "tip" })),
    tokenUses: new TokenUses(store, log),
    log,
    availability: new Availability(store, log, {
      maxTipAge: config.MAX_TIP_AGE,
      maxReplicaLag: config.MAX_REPLICA_LAG,
      now: () => core.now(),
    }),
    staleAfter: chain.terms.staleAfterMs / 1000,
    stopping: new AbortController(),
    now: Date.now,
    async identity() {
      identity ??= await store.query(chainIdentity);
      return identity;
    },
    async parseAddress(text) {
      const cached = addresses.get(text);
      if (cached) return cached;
      // An empty database has no network yet, so it accepts addresses of any network.
      const network = (await core.identity())?.network ?? null;
      const given = chain.parseAddress(text, network);
      const stored = given.isHash ? await store.query(addressText, given.key) : text;
      const address = stored === null || stored === text ? given : chain.parseAddress(stored, network);
      // The lock of a hash may be stored later.
      if (network !== null && stored !== null) addresses.set(text, address);
      return address;
    },
    checkToken: (token) => checkToken(store, token, core.now()),
    async call(token, scope, work, onCaller) {
      const { caller, version } = await authenticate(core, token);
      onCaller?.(caller.id);
      core.tokenUses.used(caller.id, core.now());
      requireScope(caller, scope);
      return await core.limits.counted(caller, core.now(), (quota) => work(caller, quota, version));
    },
    async checkReader(token, onView) {
      const check = token === null ? null : await core.checkToken(token);
      if (check?.ok && onView) {
        onView(check.caller.id);
        core.tokenUses.used(check.caller.id, core.now());
        await core.limits.counted(check.caller, core.now(), async () => {});
      }
      return check;
    },
    failureOf(error, about) {
      if (isApiError(error)) return error;
      if (isUnavailable(error)) core.availability.failed(error);
      if (isPositionAhead(error) || isUnavailable(error)) return serverIsBusy();
      core.log.error({ err: error, ...about }, "request failed");
      return new ApiError("INTERNAL_SERVER_ERROR");
    },
    ...overrides,
  };
  const events = new EventHub({
    ...core,
    failed: (error) => void core.failureOf(error, { reading: "events" }),
  });
  core.stopping.signal.addEventListener("abort", () => events.close());
  // Throws if the database holds another chain.
  await core.identity();
  return { ...core, operations: createOperations(core), events };
}

const shared = globalThis as { aqsService?: Promise<Service> };

/**
 * The process's service. It lives on `globalThis`, because the framework's bundle and the server each load this file but
 * share one connection and one set of limits. Its methods run in the copy that created it.
 *
 * @param requests used by the first call: counts the requests of callers whom several processes serve
 */
export function getService(requests?: RequestCounter): Promise<Service> {
  shared.aqsService ??= open(requests).catch((error) => {
    shared.aqsService = undefined;
    throw error;
  });
  return shared.aqsService;
}

async function open(requests?: RequestCounter): Promise<Service> {
  const config = readConfig();
  const store = await openForReading(config.DATABASE_URL, storeOptions(config, { readOnly: true }));
  return createService(store, config, {}, requests);
}
