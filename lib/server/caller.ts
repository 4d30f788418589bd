import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { wasValid } from "#lib/api/access-tokens.ts";
import { bearerToken } from "#lib/api/authenticate.ts";
import type { Config } from "#lib/config.ts";

type Trust = Pick<Config, "TRUST_PROXY">;

/** Identifies the caller for sharing the server, by a recently valid token or by network. It grants nothing. */
export function callerOf(request: IncomingMessage, trust: Trust): string {
  const { authorization, cookie } = request.headers;
  const token = bearerToken((name) => (name === "authorization" ? authorization : cookie));
  return token !== null && wasValid(token) ? token : networkOf(clientAddress(request, trust));
}

export function isTrusted(address: string, { TRUST_PROXY }: Trust): boolean {
  return TRUST_PROXY.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The address of the client, or of the first proxy before it that is not trusted. */
function clientAddress({ headers, socket }: IncomingMessage, trust: Trust): string {
  let address = socket.remoteAddress ?? "";
  // Each proxy appends the address from which it got the request.
  const hops = String(headers["x-forwarded-for"] ?? "").split(",");
  while (hops.length > 0 && isIP(address) && isTrusted(address, trust)) {
    const before = hops.pop()!.trim();
    if (!isIP(before)) break;
    address = before;
  }
  return address;
}

/** The /64 network of an IPv6 address, because its owner has all of it. An IPv4 address stays as it is. */
export function networkOf(address: string): string {
  const [groups = "", mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [address];
  if (mapped !== undefined) return mapped;
  return isIP(address) === 6 ? groups.split("::")[0]!.split(":").slice(0, 4).join(":") : address;
}
