import type { IncomingMessage } from "node:http";
import type { Config } from "#lib/config.ts";

/** A name, an IPv4 address or an IPv6 one, and a port; it may be empty (RFC 3986, section 3.2.2). */
const HOST_FORM = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;

export interface Target {
  /** Below the base path, in one form; null if it is elsewhere. */
  path: string | null;
  /** As it was sent. */
  query: string;
  fault: string | null;
}

/** Clients that take this server for a proxy send the whole URL (RFC 9112, section 3.2.2). */
export function targetOf(request: IncomingMessage, { BASE_PATH }: Config): Target {
  const text = (request.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "");
  const [, given = "", query = ""] = /^\/?([^?]*)\??(.*)$/s.exec(text) ?? [];
  const fault = hostFault(request);
  const asked = pathBelow(BASE_PATH, `/${given}`);
  // The API says itself which of its parameters cannot be read, and takes a slash at the end for another path.
  if (isApiPath(asked)) return { path: asked, query, fault };
  const place = canonical(`/${given}`);
  if (place === null)
    return { path: null, query, fault: fault ?? "The percent-encoding of the URL is broken" };
  // Health checks come from machines beside this one, which need not know the base path.
  const path = pathBelow(BASE_PATH, place) ?? (isHealth(place) ? place : null);
  return { path, query, fault };
}

/**
 * The path with its dot segments resolved, every segment percent-encoded in the same way, and no slashes at its end: the
 * framework gets the path that is looked up here. Null if the encoding is broken.
 */
function canonical(path: string): string | null {
  const segments = new URL(`http://host${path}`).pathname.replace(/(?<=.)\/+$/, "").split("/");
  try {
    return segments.map((segment) => encodeURIComponent(decodeURIComponent(segment))).join("/");
  } catch {
    return null;
  }
}

/** What is wrong with the request's Host (RFC 9112, section 3.2). Node itself keeps the first one of several. */
function hostFault({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "Host is given more than once";
  if (hosts === 1) return HOST_FORM.test(headers.host ?? "") ? null : "Host is not a host and port";
  return httpVersion === "1.1" ? "Host is missing" : null;
}

export const isApiPath = (path: string | null): boolean => path === "/v0" || !!path?.startsWith("/v0/");
export const isHealth = (path: string | null): path is string => path === "/healthz" || path === "/readyz";

/** The rest of a path that lies below the base path: `/` for that itself; null if the path lies elsewhere. */
export function pathBelow(basePath: string, pathname: string): string | null {
  if (pathname === basePath) return "/";
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : null;
}
