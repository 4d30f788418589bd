import { describe, expect, test } from "vitest";
import { assetIcon } from "#lib/queries/asset-icon.ts";
import { queryStub } from "#lib/testing/query-stub.ts";
import { handleIcon, signInForIcons } from "./icons.ts";

const policy = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
};

describe("an icon", () => {
  const picture = new TextEncoder().encode("a picture");
  // A view into a larger buffer, as a database driver may return it.
  const found = { picture: picture.subarray(2), etag: '"tag"' };
  const store = queryStub([assetIcon, async (assetId: string) => (assetId === "0x01" ? found : null)]);

  test("is a WebP that a browser may cache for an hour, and revalidate", async () => {
    const response = await handleIcon(store, "0x01", null);
    expect(response.status).toBe(200);
    expect(response.body.toString()).toBe("picture");
    expect(response.headers).toEqual({
      ...policy,
      "Content-Type": "image/webp",
      "Content-Length": "7",
      "Cache-Control": "private, max-age=3600",
      ETag: '"tag"',
    });
    for (const known of ['"tag"', '"other", W/"tag"', "*"]) {
      expect(await handleIcon(store, "0x01", known)).toEqual({
        status: 304,
        headers: { ...policy, "Cache-Control": "private, max-age=3600", ETag: '"tag"' },
        body: "",
      });
    }
    expect((await handleIcon(store, "0x01", '"other"')).status).toBe(200);
  });

  test("is 404 if none is stored", async () => {
    expect(await handleIcon(store, "0x02", "*")).toEqual({
      status: 404,
      headers: {
        ...policy,
        "Content-Type": "text/plain; charset=utf-8",
        "Cache-Control": "private, max-age=3600",
      },
      body: "This asset has no icon.\n",
    });
  });

  test("is an error if the store fails", async () => {
    const broken = queryStub([assetIcon, () => Promise.reject(new Error("the database is gone"))]);
    await expect(handleIcon(broken, "0x01", null)).rejects.toThrow("the database is gone");
  });

  test("is refused without a session, and the response reveals nothing", () => {
    expect(signInForIcons()).toMatchObject({
      status: 401,
      headers: { ...policy, "Cache-Control": "no-store" },
    });
  });
});
