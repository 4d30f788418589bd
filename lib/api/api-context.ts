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

/** What requests need, made once a process. */
export interface ApiContext extends Context {
  config: Config;
  digestOf: Digest;
  limits: Limits;
  ticks: EventLoopTicks;
  /** In which a server gives its answers: those that the framework makes, and all others. */
  pageQueue: WorkQueue;
  workQueue: WorkQueue;
  streams: Streams;
  /** Of all operations. */
  responseCache: ResponseCache;
  /** For answers that read nothing themselves. */
  tip: RecentTip;
  tokenUses: TokenUses;
  log: Logger;
  availability: Availability;
  /** Seconds: a tip older than this is unusual on the chain. */
  staleAfter: number;
  /** Aborted once the process is to end: it is not ready then, and what goes on without end must stop. */
  stopping: AbortController;
  /** Milliseconds since the Unix epoch; tests set it. */
  now(): number;
  /** Which chain is served; null while the database is empty. */
  identity(): Promise<ChainIdentity | null>;
  parseAddress(text: string): Promise<ParsedAddress>;
  checkToken(token: string): Promise<TokenCheck>;
  /**
   * The way in for every request that reads data: finds its caller, checks the scope, and counts it against the caller's
   * quota. Throws ApiError instead of running `work`. `onCaller` hears who it is, also of a caller who is refused then.
   * `version`: of the data, see `KeptAnswers`.
   */
  call<T>(
    token: string | null,
    scope: Access,
    work: (caller: AccessToken, quota: Quota, version: string | null) => Promise<T>,
    onCaller?: (tokenId: string) => void,
  ): Promise<T>;
  /**
   * What the token of a page's reader is worth; null without one. With `onView`, the view counts against the reader's
   * quota: throws TOO_MANY_REQUESTS beyond it.
   */
  checkReader(token: string | null, onView?: (tokenId: string) => void): Promise<TokenCheck | null>;
  /**
   * What to answer after `error`. Logs it with `about` if it is unexpected, and a database that does not answer once an
   * outage; callers learn nothing about either.
   */
  failureOf(error: unknown, about: object): ApiError;
}
