import { expect, test } from "vitest";
import { createCursorCodec, jsonPlaces, outputPlaces, withState } from "./cursor.ts";

const { encode, decode } = createCursorCodec(new Uint8Array(32));
const walk = "0xaa|0xbb|desc";
const place = { height: 14_110_309, transactionIndex: 7, outputIndex: 3 };
const blockHash = `0x${"0123456789abcdef".repeat(3)}fedcba9876543210`;
const readAt = { height: 2 ** 33 - 1, hash: `0x${"0".repeat(48)}00ff00ff00ff00ff` };

test("a cursor holds a place, the end of its block's hash, and the tip that it was read at", () => {
  const cursor = encode(outputPlaces, { ...place, blockHash, readAt }, walk);
  // Clients keep cursors, so their bytes must not change.
  expect(cursor).toBe("AgAAANdOZQAABwAAAAMAAP7cuph2VDIQAAH_____AP8A_wD_AP_QC89yPXldhEYF0yw");
  expect(decode(outputPlaces, cursor, walk)).toEqual({
    ...place,
    blockHash: "fedcba9876543210",
    readAt: { height: readAt.height, hash: "00ff00ff00ff00ff" },
  });
  expect(decode(outputPlaces, cursor, "0xaa|0xbc|desc")).toBeNull();
});

test("a cursor is read by any server with the database's key, and by none with another key", () => {
  const cursor = encode(outputPlaces, { ...place, blockHash, readAt }, walk);
  const here = decode(outputPlaces, cursor, walk);
  expect(createCursorCodec(new Uint8Array(32)).decode(outputPlaces, cursor, walk)).toEqual(here);
  expect(createCursorCodec(new Uint8Array(32).fill(1)).decode(outputPlaces, cursor, walk)).toBeNull();
  // The same bytes in another spelling.
  expect(decode(outputPlaces, `${cursor}=`, walk)).toBeNull();
  expect(decode(outputPlaces, `${cursor.slice(0, -1)}x`, walk)).toBeNull();
});

test("a cursor of several addresses says which one, and leaves room for an ordinal of the output", () => {
  const cursor = encode(outputPlaces, { ...place, addressIndex: 99, blockHash, readAt }, walk);
  expect(decode(outputPlaces, cursor, walk)?.addressIndex).toBe(99);
  expect([...Buffer.from(cursor, "base64url").subarray(14, 16)]).toEqual([0, 99]);
});

test("rejects a cursor of another format, a cut one and an empty one", () => {
  const cursor = encode(outputPlaces, { ...place, blockHash, readAt }, walk);
  for (const wrong of [`Aw${cursor.slice(2)}`, cursor.slice(0, 46), "AQ", ""]) {
    expect(decode(outputPlaces, wrong, walk), wrong).toBeNull();
  }
});

test("a cursor of another list holds what the list wants, and is read by no other one", () => {
  const numbers = jsonPlaces<{ amount: string; rank: number }>("listNumbers");
  const held = { amount: `${2n ** 128n - 1n}`, rank: 7 };
  const cursor = encode(numbers, held, walk);
  expect(decode(numbers, cursor, walk)).toEqual(held);
  expect(decode(numbers, cursor, "0xaa")).toBeNull();
  expect(decode(jsonPlaces("listNames"), cursor, walk)).toBeNull();
  expect(decode(outputPlaces, cursor, walk)).toBeNull();
  expect(decode(numbers, encode(outputPlaces, { ...place, blockHash, readAt }, walk), walk)).toBeNull();
});

test("a cursor of a walk that is of one state holds that state, and no walk over live outputs takes it", () => {
  const places = withState(outputPlaces);
  const at = { ...place, blockHash, readAt };
  const state = { height: 2 ** 33 - 1, hash: blockHash, gaps: "x".repeat(43), after: -1 };
  const cursor = encode(places, { place: at, state }, walk);
  expect(decode(places, cursor, walk)).toEqual({
    place: decode(outputPlaces, encode(outputPlaces, at, walk), walk),
    state,
  });
  expect(decode(outputPlaces, cursor, walk)).toBeNull();
  expect(decode(places, encode(outputPlaces, at, walk), walk)).toBeNull();
});

test("no cursor is longer than a URL allows", () => {
  const texts = jsonPlaces<string>("listTexts");
  expect(encode(texts, "x".repeat(500), walk).length).toBeLessThan(1_000);
  expect(() => encode(texts, "x".repeat(700), walk)).toThrow(RangeError);
});
