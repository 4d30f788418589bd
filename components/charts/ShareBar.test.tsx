import { expect, test } from "vitest";
import { sharesIn } from "#lib/client/format.ts";
import { REST, shareInUsd, sharesOfParts } from "./ShareBar.tsx";

const amounts = { a: 40_005n, b: 30_004n, c: 10n, d: 5n } as const;
const [a, b, c, d] = Object.entries(amounts);
const single = (["a", "b"] as const).map((key) => shareInUsd(key, key, amounts[key]));
const flagged = shareInUsd("flagged", "2 flagged", 15n, { members: [c!, d!] });
const rest = shareInUsd(REST, "5 more", 29_976n);

test("parts have the shares of their lists, a sum has those of its members, and the rest what they leave of 100 %", () => {
  const known = sharesIn(100_000n, [a!, b!, c!, d!]);
  const texts = sharesOfParts([...single, rest, flagged], known);
  expect(texts).toEqual(["40.01 %", "30.00 %", "29.98 %", "0.01 %"]);
  expect(texts.slice(0, 2)).toEqual([known.of(...a!), known.of(...b!)]);
  expect([known.of(...c!), known.of(...d!)]).toEqual(["0.01 %", "< 0.01 %"]);
});

test("parts that are not known leave no less than nothing", () => {
  const parts = [3_333_500n, 3_333_500n, 3_332_950n].map((amount, at) => shareInUsd(`${at}`, "", amount));
  const shares = sharesOfParts([...parts, shareInUsd(REST, "2 more", 50n)], sharesIn(10_000_000n, []));
  expect(shares).toEqual(["33.34 %", "33.34 %", "33.33 %", "< 0.01 %"]);
});
