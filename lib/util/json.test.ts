import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excessAt, parseExactJson, stringifyExactJson } from "./json.ts";

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

  test("leaves an amount as text if the API sends text", () => {
    const text = '{"amount":"150000000","capacity":"6100000000"}';
    expect(stringifyExactJson(parseExactJson(text))).toBe(text);
  });
});

describe("the structure of JSON", () => {
  test("has as many values as brackets and commas begin, none of them in strings", () => {
    for (const [text, values] of [
      ["7", 1],
      ['"[1,\\\\\\",2]"', 1],
      ['[1,[2,{"a":3}],null]', 7],
      ["[[],[]]", 5],
      ['{"a,[":[1],"b\\\\":"\\"",  "c":[""]}', 6],
    ] as const) {
      expect(excessAt(text, { values })).toBeNull();
      expect(excessAt(text, { values: values - 1 })).not.toBeNull();
    }
    expect(excessAt(`"${'\\"'.repeat(1_000_000)}`, { values: 1 })).toBeNull();
  });

  test("is as deep as its arrays and objects together, without brackets in strings", () => {
    expect(excessAt('[{"a":[]}]', { levels: 3 })).toBeNull();
    expect(excessAt('[{"a":[]}]', { levels: 2 })).toBe(6);
    expect(excessAt('["[[[\\"[[[{", "\\\\"]', { levels: 1 })).toBeNull();
    expect(excessAt('["\\\\",[]]', { levels: 1 })).toBe(6);
    expect(excessAt(`"${"\\n".repeat(1_000_000)}`, { levels: 1 })).toBeNull();
  });
});
