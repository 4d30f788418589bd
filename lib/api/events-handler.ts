import { eventScope, events } from "#lib/contract/events.ts";
import { check, listOf, readWallet } from "#lib/queries/parse.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { bearerToken } from "./authenticate.ts";
import { type ApiRequest, readableText, type StreamedResponse } from "./http-messages.ts";
import type { RateLimitHeaders } from "./rate-limits.ts";
import { EVENTS_TYPE, streamHeaders, typeOf } from "./responses.ts";
import type { Service } from "./service.ts";

/** Opens a stream of events. Throws ApiError if the request is refused. */
export async function handleEvents(service: Service, request: ApiRequest): Promise<StreamedResponse> {
  const token = bearerToken(request.header);
  const search = new URLSearchParams(request.query);
  const watches = listOf(search, "address").some((text) => text !== "");
  const open = async (caller: AccessToken, rateLimit: RateLimitHeaders): Promise<StreamedResponse> => {
    typeOf(request, EVENTS_TYPE);
    const checked = check(events, {}, search);
    const { all } = await readWallet(service, checked.given.address ?? [], checked.issues, "query");
    checked.values();
    const addresses = new Map(all.map(({ key, named }) => [key, named]));
    const headers = { ...streamHeaders(await service.tip.read()), ...rateLimit };
    const lastId = request.header("last-event-id");
    // `call` has refused requests without a token.
    const stream = service.events.open({ caller: caller.id, token: token ?? "", addresses, lastId });
    return { status: 200, headers, body: readableText(stream) };
  };
  return service.call(token, eventScope(watches), open, request.onCaller);
}
