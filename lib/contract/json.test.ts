import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson, stringifyExactJson, tooDeepAt } from "./json.ts";

describe("exact JSON", () => {
  test("comes back to the letter, however long its figures are", () => {
    const integer = fc.bigInt({ min: 0n, max: 2n ** 200n });
    const cents = fc.stringMatching(/^(0|[1-9]\d{0,40})(\.\d{1,8})?$/);
    fc.assert(
      fc.property(integer, cents, (amount, amountUsd) => {
        const text = `{"amount":${amount},"amountUsd":${amountUsd},"tags":["1"],"asset":{"name":"2","decimals":8}}`;
        expect(stringifyExactJson(parseExactJson(text))).toBe(text);
      }),
    );
  });

  test("keeps an amount that the API gives as text a text", () => {
    const text = '{"amount":"150000000","capacity":"6100000000"}';
    expect(stringifyExactJson(parseExactJson(text))).toBe(text);
  });
});

describe("the depth of JSON", () => {
  test("counts arrays and objects together, and no brackets in strings", () => {
    expect(tooDeepAt('[{"a":[]}]', 3)).toBeNull();
    expect(tooDeepAt('[{"a":[]}]', 2)).toBe(6);
    expect(tooDeepAt('["[[[\\"[[[{", "\\\\"]', 1)).toBeNull();
    expect(tooDeepAt('["\\\\",[]]', 1)).toBe(6);
    expect(tooDeepAt(`"${"\\n".repeat(1_000_000)}`, 1)).toBeNull();
  });
});
