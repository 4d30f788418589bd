import { eventScope, events } from "#lib/contract/events.ts";
import type { AccessToken } from "#lib/store/store.ts";
import { bearerToken } from "./authenticate.ts";
import type { Subscription } from "./event-hub.ts";
import { addReplyHeaders, READING, requireMethod } from "./handle.ts";
import type { Quota } from "./limits.ts";
import { readAddress } from "./operations.ts";
import { check, listOf } from "./parse.ts";
import type { ApiRequest } from "./reply.ts";
import { streamHeaders } from "./respond.ts";
import type { Service } from "./service.ts";

/** A stream that may be opened: the head of its answer, and what it is about. */
interface Opening {
  headers: Record<string, string>;
  subscription: Subscription;
}

/** Checks a request for events. Throws ApiError if there is nothing to open. */
export async function readSubscription(service: Service, request: ApiRequest, id: string): Promise<Opening> {
  requireMethod(request.method, READING);
  const token = bearerToken(request.header);
  const search = new URLSearchParams(request.query);
  const watches = listOf(search, "address").length > 0;
  const read = async (caller: AccessToken, quota: Quota): Promise<Opening> => {
    const checked = check(events, {}, search);
    const addresses = new Map<string, string>();
    for (const text of checked.given.address ?? []) {
      const address = await readAddress(service, text, checked.issues, "query");
      if (address && !addresses.has(address.key)) addresses.set(address.key, text);
    }
    checked.values();
    service.events.admit(caller.id);
    const tip = await service.tip.read();
    const headers = { ...streamHeaders(tip), ...quota };
    addReplyHeaders(headers, service, request, id);
    return {
      headers,
      // `call` lets nobody in without a token.
      subscription: {
        caller: caller.id,
        token: token ?? "",
        addresses,
        lastId: request.header("last-event-id"),
      },
    };
  };
  return service.call(token, eventScope(watches), read, request.onCaller);
}
