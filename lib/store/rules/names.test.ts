import { expect, test } from "vitest";
import { native } from "#lib/testing/ledger.ts";
import { foldCase } from "./asset-names.ts";
import { newlyNamed, shownToken } from "./names.ts";
import type { ClaimRow, NamingFacts } from "./rows.ts";

const facts = (overrides: Partial<NamingFacts> = {}): NamingFacts => ({
  id: "0x01",
  fungible: true,
  parentId: "",
  claim: null,
  parentClaim: null,
  entry: null,
  hasPicture: false,
  ...overrides,
});
const claim = (name: string) => ({ name, symbol: "S", decimals: 2 });

test("the registry says more than the claim, field by field, and the claim more than nothing", () => {
  const shown = shownToken(facts({ claim: claim("Claimed"), entry: { id: "0x01", name: "Listed" } }), native);
  expect(shown).toMatchObject({ name: "Listed", symbol: "S", decimals: 2, public: true });
  expect(shownToken(facts(), native)).toMatchObject({ name: "", symbol: "", decimals: 0, public: false });
});

test("a collection gives its name to what is one of a kind and has none", () => {
  const nameOf = (overrides: Partial<NamingFacts>) => shownToken(facts(overrides), native).name;
  const parentClaim = claim("Apes");
  expect(nameOf({ fungible: false, parentClaim })).toBe("Apes");
  expect(nameOf({ fungible: false, parentClaim, claim: claim("Ape 1") })).toBe("Ape 1");
  expect(nameOf({ fungible: true, parentClaim })).toBe("");
});

test("no claim renames the native asset", () => {
  const shown = shownToken(facts({ id: native.id, claim: claim("Other") }), native);
  expect(shown).toMatchObject({ name: native.name, decimals: native.decimals, layer: 1 });
});

test("the icon is our picture, whatever the registry's text", () => {
  const entry = { id: "0x01", icon: "https://icons.example/a.png" };
  expect(shownToken(facts({ entry }), native).icon).toBe("");
  expect(shownToken(facts({ entry, hasPicture: true }), native).icon).toBe("/asset-icons/0x01");
});

test("only claims that are earlier than what is stored, and say something else, name anew", () => {
  const claimAt = (transactionId: number, name: string, assetId = "0x01"): ClaimRow => ({
    assetId,
    transactionId,
    outputIndex: 0,
    ...claim(name),
  });
  const namedBy = (stored: ClaimRow[], ...claims: ClaimRow[]) => {
    return [...newlyNamed(stored, claims)];
  };
  expect(namedBy([], claimAt(5, "A"))).toEqual(["0x01"]);
  expect(namedBy([claimAt(5, "A")], claimAt(6, "A"), claimAt(7, "B"))).toEqual([]);
  expect(namedBy([claimAt(5, "A")], claimAt(4, "A"))).toEqual([]);
  expect(namedBy([claimAt(5, "A")], claimAt(4, "B"))).toEqual(["0x01"]);
  expect(namedBy([claimAt(5, "A")], claimAt(6, "B"), claimAt(4, "A", "0x02"))).toEqual(["0x02"]);
});

test("names fold alike at the end of a word and within it", () => {
  expect(foldCase("ΣΊΣΥΦΟΣ")).toBe(foldCase("σίσυφος"));
  expect(foldCase("STRAẞE")).toBe("strasse");
});
