import { expect, test } from "vitest";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { exportPieces } from "./export.ts";
import { urlOf } from "./request.ts";
import {
  addressPage,
  readAddresses,
  type SavedWallet,
  savedWallets,
  walletPage,
  walletWith,
  withWallet,
} from "./wallet.ts";

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
/** Another text with the shape of an address. */
const addressWith = (nth: number) => ADDRESS.slice(0, -2) + ["q", "p", "z", "r", "y"][nth % 5] + "q";
const many = (count: number) =>
  Array.from(
    { length: count },
    (_, nth) =>
      `${ADDRESS}${"qpzry9x8gf2tvdw0s3jn54khce6mua7l"[nth % 32]}${"q".repeat(Math.floor(nth / 32))}`,
  );

test("a list of addresses may have commas, spaces and line breaks, and each counts once", () => {
  const [one, other] = [addressWith(0), addressWith(1)];
  const text = ` ${one},${other}\n\n${one.toUpperCase()};  ${other} `;
  expect(readAddresses(text)).toEqual({ addresses: [one, other], repeated: 2, fault: null });
});

test("what is no address is named, with the reason", () => {
  const { fault } = readAddresses(`${ADDRESS}\n153\n${ADDRESS.slice(0, -1)}!`);
  expect(fault).toMatch(
    /^“153”: Not an address \(ckb1…, ckt1…\)\. “ckt1.*”: Character \d+ cannot be in an address\.$/,
  );
  const none = "Not an address (ckb1…, ckt1…).";
  expect(readAddresses("My abcd 2026-02-30").fault).toBe(
    `“My”: ${none} “abcd”: ${none} “2026-02-30”: ${none}`,
  );
  expect(readAddresses(" , \n").fault).toBe("Enter at least one address.");
  expect(readAddresses("x ".repeat(9)).fault).toMatch(/ 4 more are wrong\.$/);
});

test("a wallet has at most 100 addresses, and its text is bounded", () => {
  expect(readAddresses(many(MAX_ADDRESSES).join()).addresses).toHaveLength(MAX_ADDRESSES);
  expect(readAddresses(many(101).join()).fault).toBe("101 addresses: a wallet has at most 100.");
  expect(readAddresses(`${ADDRESS},`.repeat(9_999)).fault).toMatch(/^The text has more than/);
});

test("stored wallets are parsed as strangers wrote them", () => {
  const wallet = { name: "Savings", addresses: ["a"] };
  const stored = [
    wallet,
    { name: "", addresses: ["a"] },
    { name: "x".repeat(61), addresses: ["a"] },
    { name: "None", addresses: [] },
    { name: "Many", addresses: many(101) },
    { name: "Long", addresses: ["x".repeat(2_001)] },
    { name: 1, addresses: "a" },
    null,
  ];
  expect(savedWallets.parse(JSON.stringify(stored))).toEqual([wallet]);
  const sixty = Array.from({ length: 60 }, (_, at) => ({ ...wallet, name: `Savings ${at}` }));
  expect(savedWallets.parse(JSON.stringify(sixty))).toEqual(sixty.slice(0, 50));
  expect(savedWallets.parse(JSON.stringify([wallet, ...sixty, wallet]))).toHaveLength(50);
  expect(savedWallets.parse(JSON.stringify([wallet, wallet]))).toEqual([wallet]);
  for (const text of ["{", '{"0":1}', "null"]) expect(savedWallets.parse(text)).toEqual([]);
});

test("saving replaces the wallet of that name, and the one with the former addresses", () => {
  const wallet = (name: string, ...addresses: string[]): SavedWallet => ({ name, addresses });
  const list = [wallet("one", "a", "b"), wallet("two", "c")];
  expect(walletWith(list, ["b", "a"])?.name).toBe("one");
  expect(walletWith(list, ["a"])).toBeUndefined();
  expect(withWallet(list, wallet("renamed", "a"), ["b", "a"])).toEqual([wallet("renamed", "a"), list[1]]);
  const twins = [wallet("X", "a"), wallet("Y", "a")];
  expect(withWallet(twins, wallet("Z", "a", "b"), ["a"])).toEqual([wallet("Z", "a", "b"), twins[1]]);
  expect(withWallet(list, wallet("two", "d"), [])).toEqual([wallet("two", "d"), list[0]]);
});

test("a wallet has pages and requests of its own, which name each address", () => {
  expect(addressPage("a", { tab: "changes" })).toBe("/addresses/a?tab=changes");
  expect(addressPage("a,b", { at: "1" })).toBe("/wallet?address=a&address=b&at=1");
  expect(walletPage([])).toBe("/wallet");
  const path = "/v0/addresses/{address}/statement";
  expect(urlOf(path, { address: "a" }, { to: "9" })).toBe("/v0/addresses/a/statement?to=9");
  expect(urlOf(path, { address: "a,b" }, { to: "9" })).toBe("/v0/statement?address=a&address=b&to=9");
});

test("in a wallet's CSV each output has its address, and sums have the number of addresses", () => {
  const facts = { subject: { address: "a,b" }, query: "", time: 0, tip: null, complete: true };
  const rows = [{ amount: "1", address: "b" }, { amount: "2" }];
  const csv = { amount: [["amount", ({ amount }: { amount: string }) => amount]] } as const;
  const text = exportPieces<{ amount: string }>(rows, "csv", csv, facts).join("");
  expect(text.split("\r\n").map((line) => line.split(",").slice(0, 2))).toEqual([
    ['"address"', '"amount"'].map((head) => expect.stringContaining(head.slice(1, -1))),
    [expect.stringContaining("b"), expect.stringContaining("1")],
    [expect.stringContaining("2 addresses"), expect.stringContaining("2")],
    [""],
  ]);
});
