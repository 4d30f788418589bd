import fc from "fast-check";
import { expect, test } from "vitest";
import { nearWindow, startsOf, WHOLE_ROWS } from "./near-rows.ts";

const listOf = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `${at}` }));

test("a short list is drawn whole", () => {
  const starts = startsOf(listOf(WHOLE_ROWS), { known: new Map(), usual: 44 });
  expect(nearWindow(starts, 0, 100)).toEqual({ from: 0, to: WHOLE_ROWS, first: 0 });
});

test("of a long list, every row within the window is drawn, and few others", () => {
  const heights = fc.array(fc.integer({ min: 20, max: 300 }), { minLength: WHOLE_ROWS + 1, maxLength: 400 });
  fc.assert(
    fc.property(heights, fc.double({ min: 0, max: 1, noNaN: true }), (measured, place) => {
      const rows = listOf(measured.length);
      // Rows that were never drawn have the usual height.
      const known = new Map(measured.flatMap((height, at) => (at % 3 === 0 ? [] : [[`${at}`, height]])));
      const starts = startsOf(rows, { known, usual: 44 });
      const whole = starts.at(-1)!;
      expect(whole).toBe(measured.reduce((sum, height, at) => sum + (at % 3 === 0 ? 44 : height), 0));
      const [top, height] = [place * whole, 900];
      const { from, to, first } = nearWindow(starts, top, height);
      const seen = rows.flatMap((_, at) => (starts[at + 1]! > top && starts[at]! < top + height ? [at] : []));
      for (const at of seen) expect(at >= from && at < to, `row ${at}`).toBe(true);
      if (seen.length > 0) expect(first).toBe(seen[0]);
      expect(to - from).toBeLessThanOrEqual(seen.length + 2 * 25 + 2);
    }),
  );
});

test("a window above or below the list is near its first or last rows", () => {
  const starts = startsOf(listOf(1_000), { known: new Map(), usual: 50 });
  expect(nearWindow(starts, -5_000, 900)).toMatchObject({ from: 0, first: 0 });
  expect(nearWindow(starts, 60_000, 900)).toMatchObject({ to: 1_000, first: 999 });
});
