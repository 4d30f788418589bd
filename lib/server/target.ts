import type { IncomingMessage } from "node:http";
import type { Config } from "#lib/config.ts";

/** A host name, IPv4 or IPv6 address with an optional port; it may be empty (RFC 3986, section 3.2.2). */
const HOST_FORM = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;

export interface Target {
  /** The canonical path below the base path; null if it lies elsewhere. */
  path: string | null;
  query: string;
  fault: string | null;
}

/** Parses the request's URL, which may be absolute (RFC 9112, section 3.2.2). */
export function targetOf(request: IncomingMessage, { BASE_PATH }: Config): Target {
  const text = (request.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "");
  const [, given = "", query = ""] = /^\/?([^?]*)\??(.*)$/s.exec(text) ?? [];
  const fault = hostFault(request);
  const apiPath = pathBelow(BASE_PATH, `/${given}`);
  // The API reports malformed parameters itself, and treats a trailing slash as another path.
  if (isApiPath(apiPath)) return { path: apiPath, query, fault };
  const place = canonical(`/${given}`);
  if (place === null)
    return { path: null, query, fault: fault ?? "The percent-encoding of the URL is broken" };
  // Health checks come from nearby machines, which need not know the base path.
  const path = pathBelow(BASE_PATH, place) ?? (isHealth(place) ? place : null);
  return { path, query, fault };
}

/** The path without dot segments and trailing slashes, encoded uniformly. Null if the encoding is broken. */
function canonical(path: string): string | null {
  const segments = new URL(`http://host${path}`).pathname.replace(/(?<=.)\/+$/, "").split("/");
  try {
    return segments.map((segment) => encodeURIComponent(decodeURIComponent(segment))).join("/");
  } catch {
    return null;
  }
}

/** Describes what is wrong with the request's Host (RFC 9112, section 3.2). Node itself takes the first of several. */
function hostFault({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "Host is given more than once";
  if (hosts === 1) return HOST_FORM.test(headers.host ?? "") ? null : "Host is not a host and port";
  return httpVersion === "1.1" ? "Host is missing" : null;
}

export const isApiPath = (path: string | null): boolean => path === "/v0" || !!path?.startsWith("/v0/");
export const isHealth = (path: string | null): path is string => path === "/healthz" || path === "/readyz";

/** The part of a path below the base path, `/` for the base path itself; null if the path lies elsewhere. */
export function pathBelow(basePath: string, pathname: string): string | null {
  if (pathname === basePath) return "/";
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : null;
}
