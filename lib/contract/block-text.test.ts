import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeIn } from "./block-text.ts";

const read = (text: string) => {
  const time = timeIn(text);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe("a time in a request", () => {
  test.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z"],
    ["2026-01-31T23:30:00-23:59", "2026-02-01T23:29:00.000Z"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"],
    ["2026-01-31T12:00:00.9999999Z", "2026-01-31T12:00:00.999Z"],
    ["2026-01-31", "2026-01-31T23:59:59.999Z"],
    ["2028-02-29", "2028-02-29T23:59:59.999Z"],
    ["0000-01-01", "0000-01-01T23:59:59.999Z"],
    ["0000-01-01T00:00:00+01:00", "-000001-12-31T23:00:00.000Z"],
    ["9999-12-31T23:59:59-01:00", "+010000-01-01T00:59:59.000Z"],
    ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"],
    ["2016-12-31T23:59:60.7Z", "2016-12-31T23:59:59.999Z"],
    ["2015-07-01T01:59:60+02:00", "2015-06-30T23:59:59.999Z"],
  ])("%s is %s", (text, time) => {
    expect(read(text)).toBe(time);
  });

  test.each([
    ...["2026-02-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32"],
    ...["2026-1-31", "26-01-31", "20260131", "+2026-01-31", "-2026-01-31", "12026-01-31", "2026-01", "2026"],
    ...["2026-01-31T12:00:00", "2026-01-31T12:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z"],
    ...["2026-01-31T12:00:61Z", "2026-01-31T12:00:60Z", "2016-12-31T23:59:60+01:00", "2026-02-30T12:00:00Z"],
    ...["2026-01-31T12:00:00+0200", "2026-01-31T12:00:00+02", "2026-01-31T12:00:00+24:00"],
    ...["2026-01-31T12:00:00+02:60", "2026-01-31T12:00:00 02:00", "2026-01-31 12:00:00Z"],
    ...[
      "2026-01-31T12:00:00,5Z",
      "2026-01-31T12:00:00.Z",
      "2026-01-31T12:00:00 UTC",
      "2026-01-31T",
      "today",
      "",
    ],
    ...[" 2026-01-31", "2026-01-31\n", "２０２６-01-31", `2026-01-31T12:00:00.${"1".repeat(9_999)}`],
  ])("'%s' is none", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test("is what the engine reads, for every instant in any zone", () => {
    const anyTime = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9998-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    const zone = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(anyTime, zone, (at, minutes) => {
        const there = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const two = (number: number) => String(number).padStart(2, "0");
        const text = `${there}${minutes < 0 ? "-" : "+"}${two(hour)}:${two(minute)}`;
        expect(timeIn(text)).toBe(at.getTime());
        expect(timeIn(text)).toBe(Date.parse(text));
      }),
    );
  });
});
