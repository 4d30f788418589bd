import { type Config, readConfig, storeOptions } from "#lib/config.ts";
import { cursorKey } from "#lib/queries/access-tokens.ts";
import { openForReading } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { type ApiContext, createContext } from "./api-context.ts";
import { EventHub } from "./event-hub.ts";
import type { RequestCounter } from "./rate-limits.ts";
import { createOperations, type Operations } from "./serve-operations.ts";

export interface Service extends ApiContext {
  operations: Operations;
  events: EventHub;
}

/** @param overrides parts that tests replace */
export async function createService(
  store: Store,
  config: Config,
  overrides: Partial<ApiContext> = {},
  requests?: RequestCounter,
): Promise<Service> {
  const context = createContext(store, config, await store.query(cursorKey), requests);
  Object.assign(context, overrides);
  const events = new EventHub({
    ...context,
    failed: (error) => void context.failureOf(error, { reading: "events" }),
  });
  context.stopping.signal.addEventListener("abort", () => events.close());
  // Throws if the database holds another chain.
  await context.identity();
  return { ...context, operations: createOperations(context), events };
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
