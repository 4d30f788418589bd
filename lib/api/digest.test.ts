import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyedDigest, sha256 } from "./digest.ts";

const key = randomBytes(32);
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));

test("digests of different bytes differ, also if these differ in one bit, in zeros at the end, or in order", () => {
  const digest = keyedDigest(key);
  fc.assert(
    fc.property(bytes, bytes, fc.nat(), (one, other, at) => {
      const flipped = Buffer.from(one);
      if (one.length > 0) flipped[at % one.length]! ^= 1 << (at % 8);
      for (const changed of [other, flipped, Buffer.concat([one, Buffer.alloc(1)]), one.toReversed()]) {
        expect(digest(Buffer.from(changed)) === digest(one)).toBe(
          Buffer.compare(Buffer.from(changed), one) === 0,
        );
      }
    }),
  );
});

test("processes with one key have one digest, which reveals nothing without the key", () => {
  const body = Buffer.from("a page");
  expect(keyedDigest(key)(body)).toBe(keyedDigest(Uint8Array.from(key))(body));
  expect(keyedDigest(randomBytes(32))(body)).not.toBe(keyedDigest(key)(body));
  expect(keyedDigest(key)(body)).toMatch(/^[\w-]{27}$/);
  expect(keyedDigest(key)(body)).not.toBe(sha256(body));
});
