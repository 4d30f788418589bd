import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkToken, issueToken } from "#lib/api/access-tokens.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { callerOf } from "./caller.ts";

let store: Store;

beforeAll(async () => {
  store = await openStore("sqlite::memory:");
});

afterAll(() => store.close());

const trust = readConfig({ TRUST_PROXY: "127.0.0.1,10.0.0.0/8" });
const caller = (remoteAddress: string, headers: Record<string, string> = {}) =>
  callerOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, trust);

test("a token is a caller once it was valid, and before that its address is", async () => {
  const { token } = await issueToken(store, { name: "a", scopes: [], expiresAt: null, now: 0 });
  const headers = { authorization: `Bearer ${token}` };
  expect(caller("192.0.2.1", headers)).toBe("192.0.2.1");
  await checkToken(store, token, 0);
  expect(caller("192.0.2.1", headers)).toBe(token);
  expect(caller("192.0.2.1", { cookie: `aqs_session=${token}` })).toBe(token);
});

test.each([
  ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
  ["::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"],
  ["127.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.3", "198.51.100.7"],
  ["127.0.0.1", "nobody", "127.0.0.1"],
])("anyone else is the address before the trusted proxies: %s for %s is %s", (address, hops, expected) => {
  expect(caller(address, { "x-forwarded-for": hops })).toBe(expected);
});

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
])("all addresses of one network of IPv6 are one caller: %s", (address, network) => {
  expect(caller(address)).toBe(network);
});
