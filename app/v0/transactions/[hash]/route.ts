import { routeHandlers } from "#lib/server/route-handlers.ts";

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = routeHandlers("transaction");
