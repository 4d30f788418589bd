import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitText, MAX_NAME } from "#lib/contract/texts.ts";
import {
  type AssetNames,
  cleanText,
  createFlagger,
  displayDecimals,
  displayName,
  displaySymbol,
  type ListedNames,
  markedAmount,
  namesakesOf,
  withCodePoints,
} from "./chain-text.ts";

const id = `0x8f2c${"0".repeat(56)}91ab`;
const native = { id: "0x80000135", symbol: "CKB" };
const rusd = {
  id: `0x71${"1".repeat(62)}`,
  name: "Stable++ RUSD",
  symbol: "RUSD",
  decimals: 8,
  public: true,
};

function asset(overrides: Partial<AssetNames> = {}): AssetNames {
  return { id, name: "Plain Coin", symbol: "PLAIN", decimals: 8, ...overrides };
}
const kinds = (one: AssetNames, peers: ListedNames[] = []) =>
  createFlagger({ native, ...namesakesOf(peers) })(one).map((flag) => flag.kind);

describe("cleaned text", () => {
  test.each([
    ["control characters", "U\u0000S\u009fD\u001b", "USD"],
    ["line breaks", "US\r\nD\u2028T\u2029", "USDT"],
    ["bidirectional controls", "\u202eTDSU\u202c \u2066x\u2069\u200f\u061c", "TDSU x"],
    ["zero-width characters", "U\u200bS\u200cD\u200d\u2060T\ufeff", "USDT"],
    ["soft hyphens, fillers and tags", "U\u00adS\u3164D\u{e0041}T", "USDT"],
  ])("loses %s, and says so", (_, original, text) => {
    expect(cleanText(original, 32)).toEqual({ text, hidden: true, cut: false });
  });

  test("has single spaces only", () => {
    expect(cleanText("  a \u00a0\u3000 b ", 32)).toEqual({ text: "a b", hidden: false, cut: false });
  });

  test("stacks at most two marks on a letter", () => {
    expect(cleanText(`Z${"\u0301".repeat(50)}o`, 32)).toEqual({
      text: "Z\u0301\u0301o",
      hidden: false,
      cut: true,
    });
  });

  test("is cut by what a reader counts as characters", () => {
    expect(cleanText("👩🏽".repeat(20), 16).text).toBe(`${"👩🏽".repeat(16)}…`);
    expect(cleanText("x".repeat(10_000), 32)).toEqual({
      text: `${"x".repeat(32)}…`,
      hidden: false,
      cut: true,
    });
  });

  test("keeps markup as the characters it is", () => {
    expect(cleanText('<img onerror="x">', 32).text).toBe('<img onerror="x">');
  });

  test("keeps an emoji whole, and calls nothing of it hidden", () => {
    expect(cleanText("Heart ❤️", 32)).toEqual({ text: "Heart ❤️", hidden: false, cut: false });
  });

  test("is one line without controls, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (original) => {
        const { text } = cleanText(original, 16);
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b-\u200f]/u);
        expect(cleanText(text, 32).hidden).toBe(false);
      }),
    );
  });
});

test("hidden characters are spelled out in the original", () => {
  expect(withCodePoints("US\u200bDT\n")).toBe("US⟦U+200B⟧DT⟦U+000A⟧");
});

describe("a name and a symbol", () => {
  test("fall back to the asset's id", () => {
    expect(displayName(asset({ name: "" }))).toBe("Unnamed 0x8f2c…91ab");
    expect(displayName(asset({ name: "\u200b" }))).toBe("Unnamed 0x8f2c…91ab");
    expect(displaySymbol(asset({ name: "", symbol: "" }))).toBe("Unnamed");
  });

  test("a missing symbol is the name", () => {
    expect(displaySymbol(asset({ symbol: "" }))).toBe("Plain Coin");
  });

  test("do not show a web address that could be typed over", () => {
    expect(displayName(asset({ name: "visit claim-ckb.xyz now" }))).toBe("visit claim-ckb[.]xyz now");
    expect(displayName(asset({ name: "evil。com" }))).toBe("evil[.]com");
    expect(displayName(asset({ name: "t․me/x" }))).toBe("t[.]me/x");
  });
});

test("unique assets are counted in their unit", () => {
  const texts = ["0", "1", "1234"].map(
    (amount) => markedAmount(amount, asset({ decimals: 0 }), "Spore").text,
  );
  expect(texts).toEqual(["0", "1 NFT", "1,234 × NFT"]);
});

describe("a scale", () => {
  test("of 0 is believed of a token with a name, and unknown without one", () => {
    expect(displayDecimals(asset({ decimals: 0 }))).toBe(0);
    expect(displayDecimals(asset({ decimals: 0, name: "", symbol: "" }))).toBeNull();
  });

  test("beyond 38 is unknown", () => {
    expect(displayDecimals(asset({ decimals: 38 }))).toBe(38);
    expect(displayDecimals(asset({ decimals: 200 }))).toBeNull();
  });
});

describe("an asset", () => {
  test("with an honest name has no flag", () => {
    expect(kinds(asset(), [rusd, asset()])).toEqual([]);
    expect(kinds(asset({ name: "日本 Token", symbol: "日本T" }))).toEqual([]);
  });

  test("that is the native one has no flag", () => {
    expect(kinds({ id: native.id, name: "CKB", symbol: "CKB", decimals: 8 })).toEqual([]);
  });

  test.each([
    ["hidden-characters", asset({ symbol: "PL\u200bAIN" })],
    ["imitates", asset({ symbol: "СКB" })],
    ["imitates", asset({ name: `0x${"ab".repeat(32)}` })],
    ["imitates", asset({ name: "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v" })],
    ["mixed-scripts", asset({ symbol: "PLАIN" })],
    ["mixed-scripts", asset({ name: "Plаin coin" })],
    ["web-address", asset({ name: "free-ckb.com" })],
    ["hidden-characters", asset({ symbol: "PL\ufff9AIN" })],
    ["look-alike", asset({ symbol: "ꓴꓢꓓꓔ" })],
    ["look-alike", asset({ symbol: "ᴜꜱᴅᴛ" })],
    ["look-alike", asset({ name: "Real ꓴꓢꓓꓔ" })],
    ["mixed-scripts", asset({ symbol: "USDⲦ" })],
    ["mixed-scripts", asset({ symbol: "ᑌSDT" })],
    ["web-address", asset({ name: "evil。com" })],
    ["web-address", asset({ name: "evil｡com" })],
    ["web-address", asset({ name: "t․me/x" })],
    ["web-address", asset({ symbol: "ｈｔｔｐｓ：／／x" })],
    ["over-length", asset({ name: "x".repeat(33) })],
    ["over-length", asset({ name: limitText(`Plain${"\u200b".repeat(300)}`, MAX_NAME) })],
    ["odd-decimals", asset({ decimals: 77 })],
  ])("is flagged: %s", (kind, one) => {
    expect(kinds(one)).toContain(kind);
  });

  test("that looks like a listed one is flagged as its look-alike", () => {
    const flags = createFlagger({ native, ...namesakesOf([rusd]) })(asset({ symbol: "RUЅD" }));
    expect(flags.find((flag) => flag.kind === "look-alike")?.label).toBe("Look-alike of RUSD");
    expect(kinds({ ...rusd, public: false } as AssetNames, [rusd])).toEqual([]);
  });

  test.each(["ꓴꓢꓓꓔ", "USDⲦ", "ᑌSDT", "ᴜꜱᴅᴛ", "ＵＳＤＴ", "𝐔𝐒𝐃𝐓", "USꓓT"])(
    "as %s looks like the listed USDT",
    (symbol) => {
      const listed = { ...rusd, symbol: "USDT", name: "Tether" };
      const flags = createFlagger({ native, ...namesakesOf([listed]) })(asset({ symbol }));
      expect(flags.find((flag) => flag.kind === "look-alike")?.label).toBe("Look-alike of USDT");
      expect(flags.filter((flag) => flag.kind === "look-alike")).toHaveLength(1);
    },
  );

  test("in another script has no flag", () => {
    for (const name of [
      "Монета",
      "Νόμισμα",
      "한국 코인",
      "コイン",
      "日本。東京のコイン",
      "عملة",
      "מטבע",
      "เหรียญ",
      "Złoty Ąę",
      "Altın",
    ]) {
      expect([name, kinds(asset({ name, symbol: "" }))]).toEqual([name, []]);
    }
  });

  test("that is listed itself is nobody's look-alike", () => {
    const listed = { ...asset({ symbol: "RUЅD" }), public: true };
    expect(createFlagger({ native, ...namesakesOf([rusd]) })(listed).map((flag) => flag.kind)).toEqual([
      "mixed-scripts",
    ]);
  });

  test("that shares its symbol with a listed one is its look-alike, with others mildly flagged", () => {
    const peers = [rusd, { ...rusd, id: "0x02" }, rusd];
    const flags = createFlagger({ native, ...namesakesOf(peers) })(asset({ symbol: "RUSD" }));
    expect(flags.map((flag) => [flag.kind, flag.strong, flag.label])).toEqual([
      ["look-alike", true, "Look-alike of RUSD"],
    ]);
    const unlisted = peers.map((peer) => ({ ...peer, public: false }));
    const mild = createFlagger({ native, ...namesakesOf(unlisted) })(asset({ symbol: "RUSD" }));
    expect(mild.map((flag) => [flag.kind, flag.strong, flag.label])).toEqual([
      ["same-symbol", false, "Same symbol as 2 others"],
    ]);
  });
});
