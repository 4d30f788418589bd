import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "#lib/config.ts";
import { download, redraw } from "./icon-image.ts";
import { answerIcon, fetchableUrl, Icons, type IconsOptions, signInForIcons } from "./icons.ts";

const HOST = "icons.example";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const icon = (name: string | number) => `https://${HOST}/${name}.png`;

describe("the URL of an icon", () => {
  const hosts = [HOST, "icons.example:8443", "10.0.0.1"];
  const isFetched = (url: string) => fetchableUrl(url, hosts) instanceof URL;

  test("is fetched from a host of the list, at the port that stands there", () => {
    for (const url of [
      "https://icons.example/a.png",
      "HTTPS://ICONS.example:443/a.png",
      "https://icons.example:8443/a?b#c",
      "https://10.0.0.1/a.png",
    ]) {
      expect(isFetched(url), url).toBe(true);
    }
  });

  test("is fetched from no other host, scheme or port, and with no password", () => {
    for (const url of [
      "",
      "/icons/a.png",
      "icons.example/a.png",
      "//icons.example/a.png",
      "http://icons.example/a.png",
      "data:image/png;base64,AAAA",
      "file:///etc/passwd",
      "ipfs://icons.example/a.png",
      "javascript:alert(1)",
      "https://icons.example:444/a.png",
      "https://user@icons.example/a.png",
      "https://:secret@icons.example/a.png",
      "https://icons.example@evil.example/a.png",
      "https://icons.example.evil.example/a.png",
      "https://a.icons.example/a.png",
      "https://icons.example./a.png",
      "https://evil.example/icons.example",
      "https://evil.example\\@icons.example/a.png",
      "https://127.0.0.1/a.png",
      "https://0x7f.1/a.png",
      "https://[::1]/a.png",
      "https://[::ffff:10.0.0.1]/a.png",
      "https://localhost/a.png",
    ]) {
      expect(isFetched(url), url).toBe(false);
    }
  });

  test("is held against a setting whose hosts are written as URLs have them", () => {
    const hostsOf = (list: string) => readConfig({ ICON_HOSTS: list }).ICON_HOSTS;
    expect(hostsOf("")).toEqual([]);
    expect(hostsOf(" Icons.example, cdn.example:8443,10.0.0.1,[::1]:99 ,")).toEqual([
      "icons.example",
      "cdn.example:8443",
      "10.0.0.1",
      "[::1]:99",
    ]);
    for (const wrong of ["https://a.example", "a.example/x", "a.example:443", "*.example", "u@a.example"]) {
      expect(() => hostsOf(wrong), wrong).toThrow("ICON_HOSTS: Expected host names");
    }
  });

  test("is fetched from nowhere while no host is listed", () => {
    expect(fetchableUrl(icon("a"), [])).toEqual({
      refused: "the host is not one of ICON_HOSTS",
      host: HOST,
    });
  });
});

interface Line {
  level: number;
  msg: string;
  host?: string;
}

interface Loading {
  url: string;
  succeed(text?: string): void;
  fail(): void;
}

describe("icons", () => {
  let now: number;
  let logged: Line[];
  /** Every load that was begun, in order; each ends when a test says so. */
  let begun: Loading[];

  beforeEach(() => {
    now = 1_000_000;
    logged = [];
    begun = [];
  });

  const log = pino(
    { level: "debug", base: null },
    { write: (line: string) => logged.push(JSON.parse(line) as Line) },
  );
  const make = (options: Partial<IconsOptions> = {}) =>
    new Icons({
      hosts: [HOST],
      log,
      now: () => now,
      load: (url) =>
        new Promise((resolve, reject) => {
          begun.push({
            url: url.href,
            succeed: (text = "picture") => resolve(Buffer.from(text)),
            fail: () => reject(new Error("no answer", { cause: new Error("the host is gone") })),
          });
        }),
      ...options,
    });
  /** Until all that was settled has had its effect. */
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  test("are loaded once for any number of readers, and kept for a day", async () => {
    const icons = make();
    const readers = Array.from({ length: 100 }, () => icons.picture("0x01", icon("a")));
    await settled();
    expect(begun.map(({ url }) => url)).toEqual([icon("a")]);
    begun[0]!.succeed();
    for (const picture of await Promise.all(readers)) expect(picture?.body.toString()).toBe("picture");

    now += DAY - 1;
    expect((await icons.picture("0x01", icon("a")))?.body.toString()).toBe("picture");
    expect(begun).toHaveLength(1);
    now += 1;
    const anew = icons.picture("0x01", icon("a"));
    begun[1]!.succeed("new");
    expect((await anew)?.body.toString()).toBe("new");
    expect(logged).toEqual([]);
  });

  test("that fail are told of once, and tried again after ten minutes", async () => {
    const icons = make();
    const readers = [icons.picture("0x01", icon("a")), icons.picture("0x01", icon("a"))];
    begun[0]!.fail();
    expect(await Promise.all(readers)).toEqual([null, null]);
    now += 10 * MINUTE - 1;
    expect(await icons.picture("0x01", icon("a"))).toBeNull();
    expect(begun).toHaveLength(1);
    expect(logged).toEqual([
      expect.objectContaining({
        level: 40,
        assetId: "0x01",
        url: icon("a"),
        reason: "no answer: the host is gone",
      }),
    ]);
    now += 1;
    const again = icons.picture("0x01", icon("a"));
    begun[1]!.succeed();
    expect(await again).not.toBeNull();
  });

  test("are those that the registry names now", async () => {
    const icons = make();
    const one = icons.picture("0x01", icon("a"));
    begun[0]!.succeed("old");
    await one;
    const other = icons.picture("0x01", icon("b"));
    expect(begun[1]!.url).toBe(icon("b"));
    begun[1]!.succeed("new");
    expect((await other)?.body.toString()).toBe("new");
  });

  test("are loaded two at a time, the others in turn, also after a failure", async () => {
    const icons = make();
    const all = [0, 1, 2, 3, 4].map((n) => icons.picture("0x01", icon(n)));
    const urls = () => begun.map(({ url }) => url);
    await settled();
    expect(urls()).toEqual([0, 1].map(icon));
    begun[1]!.fail();
    await settled();
    expect(urls()).toEqual([0, 1, 2].map(icon));
    begun[0]!.succeed();
    await settled();
    expect(urls()).toEqual([0, 1, 2, 3].map(icon));
    begun[2]!.succeed();
    begun[3]!.succeed();
    await settled();
    begun[4]!.succeed();
    expect((await Promise.all(all)).map((picture) => picture !== null)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);

    // No place was lost, and none came from nowhere.
    const more = [5, 6, 7].map((n) => icons.picture("0x01", icon(n)));
    await settled();
    expect(urls().slice(5)).toEqual([5, 6].map(icon));
    begun[5]!.succeed();
    await settled();
    for (const loading of begun.slice(6)) loading.succeed();
    await Promise.all(more);
  });

  test("beyond 32 that wait are turned away, and what is turned away is not remembered as failed", async () => {
    const icons = make();
    const all = Array.from({ length: 34 }, (_, n) => icons.picture("0x01", icon(n)));
    await expect(icons.picture("0x01", icon("late"))).rejects.toThrow("Too many icons");
    for (let at = 0; at < 34; at += 1) {
      await settled();
      begun[at]!.succeed();
    }
    await Promise.all(all);
    const again = icons.picture("0x01", icon("late"));
    begun[34]!.succeed();
    expect(await again).not.toBeNull();
  });

  test("that waited five seconds behind a slow host are turned away", async () => {
    const icons = make();
    const slow = [0, 1].map((n) => icons.picture("0x01", icon(n)));
    const waiting = icons.picture("0x01", icon(2));
    const refused = expect(waiting).rejects.toThrow("Too many icons");
    now += 5_001;
    const fresh = icons.picture("0x01", icon(3));
    begun[0]!.fail();
    await refused;
    await settled();
    expect(begun.map(({ url }) => url)).toEqual([0, 1, 3].map(icon));
    begun[1]!.fail();
    begun[2]!.succeed();
    expect(await Promise.all([...slow, fresh])).toEqual([null, null, expect.anything()]);
  });

  test("are kept 512 at most, those used last", async () => {
    let loaded = 0;
    const icons = make({
      load: async () => {
        loaded += 1;
        return Buffer.from("x");
      },
    });
    for (let n = 0; n < 512; n += 1) await icons.picture("0x01", icon(n));
    await icons.picture("0x01", icon(0));
    expect(loaded).toBe(512);
    await icons.picture("0x01", icon(512));
    await icons.picture("0x01", icon(0));
    expect(loaded).toBe(513);
    await icons.picture("0x01", icon(1));
    expect(loaded).toBe(514);
  });

  test("of hosts that are not listed are never asked for, and told of once a host", async () => {
    const icons = make();
    for (const url of ["https://other.example/a", "https://other.example/b", "https://third.example/a"]) {
      expect(await icons.picture("0x01", url)).toBeNull();
    }
    expect(begun).toEqual([]);
    expect(logged.map(({ level, host }) => [level, host])).toEqual([
      [30, "other.example"],
      [30, "third.example"],
    ]);
  });

  describe("answered", () => {
    const storeWith = (icons: Record<string, string>) =>
      ({ iconOf: async (id: string) => icons[id] ?? null }) as Parameters<typeof answerIcon>[0]["store"];
    const policy = {
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; sandbox",
    };
    let server: Server | undefined;

    afterEach(() => {
      server?.close();
      server?.closeAllConnections();
      server = undefined;
    });

    test("are pictures that a browser may keep a day, and need not be sent twice", async () => {
      const file = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#00f" } })
        .png()
        .toBuffer();
      let asked = 0;
      server = createServer((_, response) => {
        asked += 1;
        response.end(file);
      });
      await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const request = (url: URL, init: RequestInit) => fetch(`http://127.0.0.1:${port}${url.pathname}`, init);
      const icons = make({ load: async (url) => redraw(await download(url, { request })) });
      const service = { log, store: storeWith({ "0x01": icon("a") }) };
      const reply = await answerIcon(service, icons, "0x01", null);
      expect(reply.status).toBe(200);
      expect(reply.headers).toEqual({
        ...policy,
        "Content-Type": "image/webp",
        "Content-Length": String(reply.body.length),
        "Cache-Control": "private, max-age=86400",
        ETag: expect.stringMatching(/^"[\w-]{22}"$/),
      });
      expect(await sharp(reply.body as Buffer).metadata()).toMatchObject({
        format: "webp",
        width: 64,
        height: 64,
      });
      for (const known of [reply.headers.ETag!, `"other", W/${reply.headers.ETag}`]) {
        expect(await answerIcon(service, icons, "0x01", known)).toMatchObject({
          status: 304,
          body: "",
          headers: { ETag: reply.headers.ETag },
        });
      }
      expect((await answerIcon(service, icons, "0x01", '"other"')).status).toBe(200);
      expect(asked).toBe(1);
    });

    test("are 404 where there is none, or none to be had", async () => {
      const icons = make();
      const service = { log, store: storeWith({ "0x01": icon("a"), "0x02": "data:image/png;base64,AAAA" }) };
      const failing = answerIcon(service, icons, "0x01", null);
      await settled();
      begun[0]!.fail();
      for (const reply of [
        await failing,
        await answerIcon(service, icons, "0x02", null),
        await answerIcon(service, icons, "0x03", null),
      ]) {
        expect(reply).toEqual({
          status: 404,
          headers: {
            ...policy,
            "Content-Type": "text/plain; charset=utf-8",
            "Cache-Control": "private, max-age=600",
          },
          body: "There is no icon of this asset to show.\n",
        });
      }
      expect(logged.map(({ level }) => level)).toEqual([40, 30, 20]);
    });

    test("are 503 where too many are under way", async () => {
      const icons = make();
      const under = Array.from({ length: 34 }, (_, n) => icons.picture("0x01", icon(n)));
      const reply = await answerIcon({ log, store: storeWith({ "0x01": icon("a") }) }, icons, "0x01", null);
      expect(reply).toMatchObject({
        status: 503,
        headers: { ...policy, "Retry-After": "2", "Cache-Control": "no-store" },
      });
      for (let at = 0; at < 34; at += 1) {
        await settled();
        begun[at]!.succeed();
      }
      await Promise.all(under);
    });

    test("fail where the store does, or anything but a host", async () => {
      const fail = async () => {
        throw new Error("not foreseen");
      };
      const broken = { iconOf: fail } as unknown as ReturnType<typeof storeWith>;
      await expect(answerIcon({ log, store: broken }, make(), "0x01", null)).rejects.toThrow("not foreseen");
      const icons = Object.assign(make(), { picture: fail });
      const store = storeWith({ "0x01": icon("a") });
      await expect(answerIcon({ log, store }, icons, "0x01", null)).rejects.toThrow("not foreseen");
    });

    test("tell who is not signed in nothing", () => {
      expect(signInForIcons()).toMatchObject({
        status: 401,
        headers: { ...policy, "Cache-Control": "no-store" },
      });
    });
  });
});
