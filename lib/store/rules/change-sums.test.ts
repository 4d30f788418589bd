import fc from "fast-check";
import { expect, test } from "vitest";
import { GROUP_SIZES, piecesOf } from "./change-sums.ts";

test("a range is whole groups and single blocks, each height once, few of each size", () => {
  const height = fc.nat({ max: 60_000 });
  fc.assert(
    fc.property(height, height, (after, to) => {
      const pieces = piecesOf(after, to);
      expect(pieces).toHaveLength(2 * GROUP_SIZES.length + 1);
      const covered: [number, number][] = [];
      for (const { size, from, to } of pieces) {
        if (from > to) continue;
        expect(from % size).toBe(0);
        expect((to + 1) % size).toBe(0);
        if (size < GROUP_SIZES.at(-1)!) expect((to + 1 - from) / size).toBeLessThan(31);
        covered.push([from, to]);
      }
      covered.sort(([a], [b]) => a - b);
      let next = after + 1;
      for (const [from, last] of covered) {
        expect(from).toBe(next);
        next = last + 1;
      }
      expect(next).toBe(Math.max(after, to) + 1);
    }),
  );
});
