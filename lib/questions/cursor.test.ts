import { expect, test } from "vitest";
import { createCursorCodec } from "./cursor.ts";

const { encode, decode } = createCursorCodec(new Uint8Array(32));
const walk = "0xaa|0xbb|desc";
const place = { height: 14_110_309, transactionIndex: 7, outputIndex: 3 };
const blockHash = `0x${"0123456789abcdef".repeat(3)}fedcba9876543210`;
const readAt = { height: 2 ** 33 - 1, hash: `0x${"0".repeat(48)}00ff00ff00ff00ff` };

test("a cursor holds a place, the end of its block's hash, and the tip that it was read at", () => {
  const cursor = encode({ ...place, blockHash, readAt }, walk);
  expect(cursor).toMatch(/^[\w-]{67}$/);
  expect(decode(cursor, walk)).toEqual({
    ...place,
    blockHash: "fedcba9876543210",
    readAt: { height: readAt.height, hash: "00ff00ff00ff00ff" },
  });
  expect(decode(cursor, "0xaa|0xbc|desc")).toBeNull();
});

test("a cursor of the version before, which has no tip, is read as one of its block's time", () => {
  const start = "0x0123456789abcdef";
  expect(decode("AQAAANdOZQAABwAAAAMBI0VniavN74pb_OZxoj5GlcViRg", walk)).toEqual({
    ...place,
    blockHash: start,
    readAt: { height: place.height, hash: start },
  });
});

test("a cursor of a version to come, a cut one and an empty one are none", () => {
  const cursor = encode({ ...place, blockHash, readAt }, walk);
  for (const wrong of [`Aw${cursor.slice(2)}`, cursor.slice(0, 46), "AQ", ""]) {
    expect(decode(wrong, walk), wrong).toBeNull();
  }
});
