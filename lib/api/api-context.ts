import type { Logger } from "pino";
import type { Config } from "#lib/config.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import type { ApiError } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import type { Context } from "#lib/queries/operation.ts";
import type { AccessToken, ChainIdentity } from "#lib/store/rows.ts";
import type { TokenCheck } from "./access-tokens.ts";
import type { Availability } from "./availability.ts";
import type { Digest } from "./digest.ts";
import type { Limits, Quota } from "./limits.ts";
import type { RecentTip } from "./recent-tip.ts";
import type { ResponseCache } from "./response-cache.ts";
import type { Streams } from "./streams.ts";
import type { TokenUses } from "./token-uses.ts";
import type { EventLoopTicks, WorkQueue } from "./work-queue.ts";

/** The objects that requests share, created once per process. */
export interface ApiContext extends Context {
  config: Config;
  digestOf: Digest;
  limits: Limits;
  ticks: EventLoopTicks;
  /** The queue of pages that the framework renders. */
  pageQueue: WorkQueue;
  workQueue: WorkQueue;
  streams: Streams;
  responseCache: ResponseCache;
  tip: RecentTip;
  tokenUses: TokenUses;
  log: Logger;
  availability: Availability;
  /** Seconds after which a tip is unusually old for the chain. */
  staleAfter: number;
  /** Aborted when the process is about to end: it is no longer ready, and endless streams stop. */
  stopping: AbortController;
  /** Milliseconds since the Unix epoch; tests set it. */
  now(): number;
  /** The served chain; null while the database is empty. */
  identity(): Promise<ChainIdentity | null>;
  parseAddress(text: string): Promise<ParsedAddress>;
  checkToken(token: string): Promise<TokenCheck>;
  /**
   * Runs `work` for a request that reads data: authenticates its caller, checks the scope, and counts the request against
   * the caller's quota. Throws ApiError instead if one of them fails. `onCaller` gets the token's id, also if the caller is
   * refused later. `version` is the version of the data, see `ResponseCache`.
   */
  call<T>(
    token: string | null,
    scope: Access,
    work: (caller: AccessToken, quota: Quota, version: string | null) => Promise<T>,
    onCaller?: (tokenId: string) => void,
  ): Promise<T>;
  /** Checks the token of a page's reader. With `onView`, throws TOO_MANY_REQUESTS if the view exceeds the quota. */
  checkReader(token: string | null, onView?: (tokenId: string) => void): Promise<TokenCheck | null>;
  /** The error to respond with. Logs unexpected ones with `about`, which callers do not see, and an outage once. */
  failureOf(error: unknown, about: object): ApiError;
}
