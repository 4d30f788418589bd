import { LRUCache } from "lru-cache";
import { chain } from "#lib/chains/chain.ts";
import type { Config } from "#lib/config.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import { ApiError, isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import { addressText, chainIdentity } from "#lib/queries/chain.ts";
import { createCursorCodec } from "#lib/queries/cursor.ts";
import { isPositionAhead, isUnavailable } from "#lib/store/errors.ts";
import type { AccessToken, ChainIdentity } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { checkToken, type TokenCheck } from "./access-tokens.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { Availability } from "./availability.ts";
import { createLog } from "./log.ts";
import { type RateLimitHeaders, RateLimits, type RequestCounter } from "./rate-limits.ts";
import { RecentTip } from "./recent-tip.ts";
import { ResponseCache } from "./response-cache.ts";
import { Streams } from "./streams.ts";
import { TokenUses } from "./token-uses.ts";
import { EventLoopTicks, type Patience, WorkQueue } from "./work-queue.ts";

/** Characters of all addresses in the cache of parsed addresses. Programs walk an address page by page. */
const MAX_ADDRESS_TEXT = 1_000_000;

/** Requests that run at once with SQLite. It reads in this thread, so they overlap only in compression. */
const SQLITE_AT_ONCE = 4;

const FILES_AT_ONCE = 4;
/** A page without one of its scripts stays dead, and browsers do not ask twice. Files come from memory, so few requests wait. */
const FILE_PATIENCE: Patience = { usual: 10_000, overloaded: 10_000 };

/** The objects that requests share, created once per process. */
export type ApiContext = ReturnType<typeof createContext>;

/** @param key the database's own key, which signs cursors */
export function createContext(store: Store, config: Config, key: Uint8Array, requests?: RequestCounter) {
  let identity: ChainIdentity | null = null;
  const addresses = new LRUCache<string, ParsedAddress>({
    maxSize: MAX_ADDRESS_TEXT,
    sizeCalculation: (_address, text) => text.length,
  });
  const atOnce = config.DATABASE_URL.startsWith("sqlite:") ? SQLITE_AT_ONCE : config.DATABASE_POOL_SIZE;
  const ticks = new EventLoopTicks();
  const log = createLog(config.LOG_LEVEL);
  const context = {
    config,
    store,
    base: config.PUBLIC_URL || config.BASE_PATH,
    cursors: createCursorCodec(key),
    rateLimits: new RateLimits(config.RATE_LIMIT_PER_MINUTE, requests),
    ticks,
    /** The queue of pages that the framework renders. */
    pageQueue: new WorkQueue(config.MAX_CONCURRENT_PAGES, ticks),
    workQueue: new WorkQueue(atOnce, ticks),
    fileQueue: new WorkQueue(FILES_AT_ONCE, ticks, FILE_PATIENCE),
    streams: new Streams({
      maxStreams: config.MAX_EVENT_STREAMS,
      maxStreamsPerToken: config.MAX_EVENT_STREAMS_PER_TOKEN,
      isValid: async (token): Promise<boolean> => (await context.checkToken(token)).ok,
      failed(error): void {
        context.failureOf(error, { checking: "tokens of streams" });
      },
    }),
    responseCache: new ResponseCache(config.CACHE_MB * 2 ** 20),
    tip: new RecentTip(store, (error): void => void context.failureOf(error, { reading: "tip" })),
    tokenUses: new TokenUses(store, log),
    log,
    availability: new Availability(store, log, {
      maxTipAge: config.MAX_TIP_AGE,
      maxReplicaLag: config.MAX_REPLICA_LAG,
      now: (): number => context.now(),
    }),
    /** Seconds after which a tip is unusually old for the chain. */
    staleAfter: chain.terms.staleAfterMs / 1000,
    /** Aborted when the process is about to end: it is no longer ready, and endless streams stop. */
    stopping: new AbortController(),
    /** Milliseconds since the Unix epoch; tests set it. */
    now: (): number => Date.now(),

    /** The served chain; null while the database is empty. */
    async identity(): Promise<ChainIdentity | null> {
      identity ??= await store.query(chainIdentity);
      return identity;
    },

    async parseAddress(text: string): Promise<ParsedAddress> {
      const cached = addresses.get(text);
      if (cached) return cached;
      // An empty database has no network yet, so it accepts addresses of any network.
      const network = (await context.identity())?.network ?? null;
      const given = chain.parseAddress(text, network);
      const stored = given.isHash ? await store.query(addressText, given.key) : text;
      const address = stored === null || stored === text ? given : chain.parseAddress(stored, network);
      // The lock of a hash may be stored later.
      if (network !== null && stored !== null) addresses.set(text, address);
      return address;
    },

    checkToken: (token: string): Promise<TokenCheck> => checkToken(store, token, context.now()),

    /**
     * Runs `work` for a request that reads data: authenticates its caller, checks the scope, and counts the request against
     * the caller's rate limit. Throws ApiError instead if one of them fails. `onCaller` gets the token's id, also if the caller is
     * refused later. `version` is the version of the data, see `ResponseCache`.
     */
    async call<T>(
      token: string | null,
      scope: Access,
      work: (caller: AccessToken, rateLimit: RateLimitHeaders, version: string | null) => Promise<T>,
      onCaller?: (tokenId: string) => void,
    ): Promise<T> {
      const { caller, version } = await authenticate(context.checkToken, token);
      onCaller?.(caller.id);
      context.tokenUses.used(caller.id, context.now());
      requireScope(caller, scope);
      return await context.rateLimits.counted(caller, context.now(), (rateLimit) =>
        work(caller, rateLimit, version),
      );
    },

    /** Checks the token of a page's reader. With `onView`, throws TOO_MANY_REQUESTS if the view exceeds the rate limit. */
    async checkReader(token: string | null, onView?: (tokenId: string) => void): Promise<TokenCheck | null> {
      const check = token === null ? null : await context.checkToken(token);
      if (check?.ok && onView) {
        onView(check.caller.id);
        context.tokenUses.used(check.caller.id, context.now());
        await context.rateLimits.counted(check.caller, context.now(), async () => {});
      }
      return check;
    },

    /** The error to respond with. Logs unexpected ones with `about`, which callers do not see, and an outage once. */
    failureOf(error: unknown, about: object): ApiError {
      if (isApiError(error)) return error;
      if (isUnavailable(error)) context.availability.failed(error);
      if (isPositionAhead(error) || isUnavailable(error)) return serverIsBusy();
      context.log.error({ err: error, ...about }, "request failed");
      return new ApiError("INTERNAL_SERVER_ERROR");
    },
  };
  return context;
}
