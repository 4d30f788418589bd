import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PRICE_DECIMALS, parseDecimal } from "#lib/util/amounts.ts";
import {
  cutAddress,
  cutHash,
  cutId,
  cutToText,
  formatAge,
  formatAmount,
  formatCount,
  formatCoverage,
  formatDifference,
  formatLevel,
  formatLocal,
  formatPrice,
  formatUsd,
  formatUsdText,
  formatUtc,
  shareOf,
  sharesIn,
} from "./format.ts";

const u128Max = "340282366920938463463374607431768211455";
const shown = (amount: bigint | string, decimals: number | null) => formatAmount(amount, decimals).text;

describe("an amount", () => {
  test.each([
    [u128Max, 0, "340,282,366,920,938,463,463,374,607,431,768,211,455"],
    [u128Max, 8, "3,402,823,669,209,384,634,633,746,074,317.68211455"],
    [u128Max, 18, "340,282,366,920,938,463,463.37460743…"],
    [u128Max, 38, "3.40282366…"],
    ["1", 18, "0.00000000…1"],
    ["0", 18, "0"],
    ["0", 0, "0"],
    [(BigInt(u128Max) * 3n).toString(), 8, "10,208,471,007,628,153,903,901,238,222,953.04634365"],
    ["100", 8, "0.000001"],
    ["123450000000", 8, "1,234.5"],
    ["999999999999999999", 18, "0.99999999…"],
  ])("of %s with %i decimals shows %s", (amount, decimals, text) => {
    expect(shown(amount, decimals)).toBe(text);
  });

  test("keeps every digit in its exact form", () => {
    expect(formatAmount(u128Max, 38).exact).toBe("3.40282366920938463463374607431768211455");
    expect(formatAmount("1", 18).exact).toBe("0.000000000000000001");
  });

  test.each([39, 255, -1, 1.5, null])("with the impossible scale %s shows the raw integer", (decimals) => {
    expect(formatAmount("1234", decimals)).toMatchObject({ whole: "1,234", fraction: "", scaled: false });
  });

  test("is never more than the exact value, and never zero for what is not", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 140n }),
        fc.integer({ min: 0, max: 38 }),
        (amount, decimals) => {
          const text = shown(amount, decimals).replace(/,/g, "");
          const exact = formatAmount(amount, decimals).exact.replace(/,/g, "");
          expect(exact.startsWith(text.replace(/….*$/, ""))).toBe(true);
          expect(/[1-9]/.test(text)).toBe(amount !== 0n);
        },
      ),
    );
  });
});

describe("US dollars", () => {
  test.each([
    ["1234.56", "$1,234.56"],
    ["1234.569", "$1,234.56"],
    ["1", "$1.00"],
    ["0.99999999", "$0.9999"],
    ["0.0001", "$0.0001"],
    ["0.00009999", "< $0.0001"],
    ["0.00000001", "< $0.0001"],
    ["0", "$0.00"],
    ["999999999.99", "$999,999,999.99"],
    ["1249999999.99", "$1.24 B"],
    ["4500000000000", "$4.50 T"],
  ])("%s shows as %s", (text, expected) => {
    expect(formatUsdText(text)?.text).toBe(expected);
  });

  test("keep all their decimals in the exact form", () => {
    expect(formatUsd(123_456_789_012_345_678n).exact).toBe("$1,234,567,890.12345678");
  });

  test("of something that has a price are never said to be nothing", () => {
    expect(formatUsdText("0", "1")).toEqual({ text: "< $0.0001", exact: "< $0.00000001" });
    expect(formatUsdText("0.00000001", "1")?.text).toBe("< $0.0001");
    expect(formatUsdText("0", "0")?.text).toBe("$0.00");
    expect([shareOf(0n, 5n), shareOf(0n, 5n, "1")]).toEqual(["0.00 %", "< 0.01 %"]);
    expect(shareOf(0n, 0n)).toBe("—");
    expect([shareOf(2n, 3n), shareOf(1n, 20_000n), shareOf(1n, 20_001n)]).toEqual([
      "66.67 %",
      "0.01 %",
      "< 0.01 %",
    ]);
    expect([shareOf(3n, 3n), shareOf(99_999n, 100_000n)]).toEqual(["100.00 %", "> 99.99 %"]);
  });

  test("of one token have cents, or four digits below a dollar", () => {
    const text = (usd: string) => formatPrice(parseDecimal(usd, PRICE_DECIMALS)!).text;
    expect(["1870067.394", "1.065", "0.98765", "0.0071052", "0.5", "0"].map(text)).toEqual([
      "$1,870,067.39",
      "$1.06",
      "$0.9876",
      "$0.007105",
      "$0.5",
      "$0.00",
    ]);
    expect(formatPrice(1_065_644_835_186_206_678n).exact).toBe("$1.065644835186206678");
  });

  test("that are not plain decimal text are refused", () => {
    expect(formatUsdText("1e-8")).toBeNull();
    expect(formatUsdText("")).toBeNull();
  });
});

describe("a long text is cut in its middle", () => {
  const hash = `0x71a3b2c4${"5".repeat(48)}0d9e11f2`;

  test("a hash to 8 and 8 digits", () => {
    expect(cutToText(cutHash(hash))).toBe("0x71a3b2c4…0d9e11f2");
  });

  test("an asset id to 4 and 4 digits", () => {
    expect(cutToText(cutId(hash))).toBe("0x71a3…11f2");
    expect(cutToText(cutId("0x80000135"))).toBe("0x80000135");
  });

  test("an address to its prefix, 6 and 8 characters", () => {
    const address = "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xws";
    expect(cutToText(cutAddress(address))).toBe("ckt1qzda0c…waa50xws");
    expect(cutToText(cutAddress(`lock-hash:${hash}`))).toBe("lock-hash:0x71a3b2…0d9e11f2");
  });

  test("and its three parts together are the whole", () => {
    const { head, middle, tail } = cutHash(hash);
    expect(head + middle + tail).toBe(hash);
  });
});

describe("a time", () => {
  const time = Date.UTC(2026, 2, 6, 8, 12, 45, 678);

  test("is written in UTC to the second", () => {
    expect(formatUtc(time)).toBe("2026-03-06 08:12:45 UTC");
  });

  test("names the reader's zone if it is local", () => {
    expect(formatLocal(time, "Asia/Tokyo")).toBe("2026-03-06 17:12:45 GMT+9");
    // Not `EET` and `GMT`, as some browsers name them: the search reads times back.
    expect(formatLocal(time, "Europe/Helsinki")).toBe("2026-03-06 10:12:45 GMT+2");
    expect(formatLocal(time, "Europe/London")).toMatch(/^2026-03-06 08:12:45 GMT(\+0)?$/);
  });

  test.each([
    [0, "just now"],
    [-5, "just now"],
    [-59, "just now"],
    [-60, "in 1 min"],
    [-7_199, "in 120 min"],
    [-86_395, "in 24 h"],
    [-86_400, "in 24 h"],
    [-30 * 86_400, "in 30 d"],
    [-800 * 86_400, "in 2 y"],
    [8, "8 s ago"],
    [59, "59 s ago"],
    [180, "3 min ago"],
    [7_199, "119 min ago"],
    [7_200, "2 h ago"],
    [172_800, "2 d ago"],
    [800 * 86_400, "2 y ago"],
  ])("%i seconds old is %s", (seconds, text) => {
    expect(formatAge(time, time + seconds * 1000)).toBe(text);
  });
});

test("a count is grouped and exact", () => {
  expect(formatCount(14203551)).toBe("14,203,551");
  expect(formatCount(999)).toBe("999");
});

test("ranges of heights are grouped like counts", () => {
  expect(formatCoverage("12043751, 14110309-14110312, …")).toBe("12,043,751 · 14,110,309–14,110,312 · …");
});

describe("shares in a whole", () => {
  const hundredths = (text: string | undefined): bigint => {
    if (text!.startsWith("<")) return 0n;
    return text!.startsWith(">") ? 10_000n : BigInt(text!.replace(/\D/g, ""));
  };
  const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
  const asParts = (amounts: readonly bigint[]) => amounts.map((amount, at) => [`${at}`, amount] as const);
  /** The shares of the parts, each of which is known, and of what they leave. */
  const sharesOf = (amounts: bigint[], others = 0n) => {
    const shares = sharesIn(sumOf(amounts) + others, asParts(amounts));
    return [...asParts(amounts).map((part) => shares.of(...part)), shares.beside(asParts(amounts))];
  };

  test("add up to 100 % with that of all others, however many are shown, each cut or rounded up", () => {
    const amounts = fc.array(fc.bigInt(0n, 10n ** 40n), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(amounts, fc.bigInt(0n, 10n ** 40n), fc.nat(40), (amounts, others, shown) => {
        const whole = sumOf(amounts) + others;
        if (whole === 0n) return;
        const shares = sharesIn(whole, asParts(amounts));
        const few = asParts(amounts).slice(0, shown);
        const texts = few.map((part) => shares.of(...part));
        expect(sumOf([...texts, shares.beside(few)].map(hundredths))).toBe(10_000n);
        for (const [at, text] of texts.entries()) {
          const cut = (amounts[at]! * 10_000n) / whole;
          expect([cut, cut + 1n]).toContain(hundredths(text));
        }
      }),
    );
  });

  test("that are the largest cut are rounded up first", () => {
    expect(sharesOf([1n, 1n, 1n])).toEqual(["33.34 %", "33.33 %", "33.33 %", "0.00 %"]);
    expect(sharesOf([2n], 1n)).toEqual(["66.67 %", "33.33 %"]);
    expect(sharesOf([1n], 2n)).toEqual(["33.33 %", "66.67 %"]);
    expect(sharesOf([49_996n, 49_996n], 8n)).toEqual(["50.00 %", "49.99 %", "0.01 %"]);
    expect(sharesOf([10n ** 9n], 1n)).toEqual(["> 99.99 %", "< 0.01 %"]);
    expect(sharesOf([0n, 0n])).toEqual([undefined, undefined, undefined]);
  });

  test("are rounded alone if the part is not among the known ones, or differs from it", () => {
    const shares = sharesIn(3n, [
      ["a", 1n],
      ["b", 1n],
    ]);
    expect([shares.of("a", 1n), shares.of("b", 1n), shares.of("c", 1n)]).toEqual([
      "33.34 %",
      "33.33 %",
      "33.33 %",
    ]);
    expect(shares.of("a", 2n)).toBe(shareOf(2n, 3n));
    expect(sharesIn(2n, [["newer", 3n]]).of("newer", 1n)).toBe("50.00 %");
    expect(sharesIn(3n, [["held", 0n]]).of("held", 0n, "5"), "worth less than a unit").toBe("< 0.01 %");
  });
});

test("a difference too small to be written has its sign beside its size", () => {
  const inUsd = (size: bigint) => formatUsd(size).text;
  expect([3_000n, -3_000n, 0n, -500_000_000n].map((value) => formatDifference(value, inUsd))).toEqual([
    "< +$0.0001",
    "> −$0.0001",
    "$0.00",
    "−$5.00",
  ]);
});

test("a level of a chart is short, however large or small it is", () => {
  expect([3.4e38, 1.5e15, 2.5e12, 2_440].map((level) => formatLevel(level, 0))).toEqual([
    "3.4e38",
    "1.5e15",
    "2.5T",
    "2,440",
  ]);
  expect(formatLevel(3, 18)).toBe("3e-18");
});
