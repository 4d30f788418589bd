import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  MAX_DESCRIPTION,
  MAX_KEYWORDS,
  MAX_NAME,
  MAX_PARENT_ID,
  MAX_SYMBOL,
  MAX_TAG,
  MAX_TAGS,
} from "#lib/contract/texts.ts";
import type { AssetChangePage } from "#lib/queries/block-asset-changes/read.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import { parseExactJson } from "#lib/util/json.ts";
import type { IncludedRow } from "./address-utxos/include.ts";
import { assetOf } from "./codec.ts";
import type { Context } from "./operation.ts";
import { operations } from "./operations.ts";
import type { CursorPage } from "./walk.ts";

type UtxoCursorPage = CursorPage<IncludedRow>;

/** The codec of each operation, where URLs of this server begin with `base`. */
function createCodecs(base: string) {
  const context = { base } as Context;
  return {
    addressUtxos: operations.addressUtxos.implement(context).codec,
    blockAssetChanges: operations.blockAssetChanges.implement(context).codec,
  };
}

const token: TokenRow = {
  layer: 2,
  parentId: "",
  totalSupply: String(2n ** 128n - 1n),
  description: 'A "quoted" \\ text\n\u2028',
  public: true,
  firstFoundBlock: `0x${"ab".repeat(32)}`,
  firstMintAt: "2026-01-01T00:00:00.000Z",
  keywords: "a,b",
  id: "0x01",
  name: "☃\ud800",
  icon: "/asset-icons/0x01",
  symbol: "</script>",
  decimals: 255,
  standard: "xUDT",
};
const row = { token, height: 7, transactionHash: `0x${"cd".repeat(32)}`, capacity: "6100000000" };

const utxos: UtxoCursorPage = {
  tip: null,
  rows: [
    { ...row, outputIndex: 0, amount: "0" },
    { ...row, outputIndex: 1, amount: String(2n ** 128n - 1n) },
  ],
  hasNext: false,
  last: null,
  lastCursor: "AQ-_",
};

const block = { height: 7, hash: token.firstFoundBlock, parentHash: token.firstFoundBlock, timestamp: 0 };

const changes: AssetChangePage = {
  tip: null,
  block,
  rows: [
    { amount: String(2n ** 53n + 1n), amountUsd: "10000001", asset: { ...token, tags: ['"', "b"] } },
    { amount: "0", amountUsd: "0", asset: { ...token, tags: [] } },
  ],
  total: 2,
};

describe("a response's text equals the value that pages get", () => {
  const codecs = createCodecs("https://assets.example");

  test("for outputs, as the contract describes them", () => {
    const value = codecs.addressUtxos.value(utxos);
    expect(parseExactJson(codecs.addressUtxos.json(utxos))).toEqual(value);
    expect(operations.addressUtxos.contract.response.strict().parse(value)).toEqual(value);
    const { shape } = operations.addressUtxos.contract.response.shape.result.element;
    const asked = ["kind", "until", "compensation", "blockTime", "blockHash", "priceUsd", "valueUsd"];
    const always = Object.keys(shape).filter((name) => !asked.includes(name));
    expect(Object.keys(value.result[0]!)).toEqual(always);
  });

  test("for outputs of several tokens, each row with its own", () => {
    const [first, second] = utxos.rows;
    const other = { ...token, id: "0x02", name: "Another", decimals: 0 };
    const page = { ...utxos, rows: [first!, { ...second!, token: other }, first!] };
    const value = codecs.addressUtxos.value(page);
    expect(value.result.map((entry) => entry.tokenInfo.name)).toEqual([token.name, "Another", token.name]);
    expect(parseExactJson(codecs.addressUtxos.json(page))).toEqual(value);
  });

  test("with what outputs are only if the rows have it", () => {
    const state = { kind: 'a "kind"', until: "never", compensation: "7" };
    const withStates = {
      ...utxos,
      rows: utxos.rows.map((row) => ({ ...row, ...state, blockTime: 0, blockHash: "0x01", usd: null })),
    };
    const value = codecs.addressUtxos.value(withStates);
    expect(value.result[0]).toMatchObject(state);
    expect(parseExactJson(codecs.addressUtxos.json(withStates))).toEqual(value);
    const { shape } = operations.addressUtxos.contract.response.shape.result.element;
    expect(Object.keys(value.result[0]!).sort()).toEqual(Object.keys(shape).sort());
  });

  test("for asset changes, with every digit", () => {
    const value = codecs.blockAssetChanges.value(changes);
    expect(parseExactJson(codecs.blockAssetChanges.json(changes))).toEqual(value);
    expect(operations.blockAssetChanges.contract.response.strict().parse(value)).toEqual(value);
    expect(value.result[0]).toMatchObject({
      amount: 2n ** 53n + 1n,
      amountUsd: "0.10000001",
      amountExact: String(2n ** 53n + 1n),
      amountUsdExact: "0.10000001",
    });
  });

  test("for no rows", () => {
    expect(codecs.blockAssetChanges.json({ tip: null, block, rows: [], total: 0 })).toBe(
      '{"result":[],"total":0}',
    );
  });

  test("and name icons by their whole URL", () => {
    const [entry] = codecs.addressUtxos.value(utxos).result;
    expect(entry!.tokenInfo.icon).toBe("https://assets.example/asset-icons/0x01");
  });
});

test("a page carries each token once, however many rows hold it", () => {
  const [one, other] = createCodecs("").addressUtxos.value(utxos).result;
  expect(one!.tokenInfo).toBe(other!.tokenInfo);
});

describe("the largest responses", () => {
  // The character that takes most bytes for one code point: `\u0001` in JSON.
  const worst = (most: number) => "\u0001".repeat(most);
  const megabytes = (json: string) => Buffer.byteLength(json) / 1_000_000;
  const codecs = createCodecs(`https://${"host.".repeat(50)}example`);
  const id = `0x${"ab".repeat(32)}`;
  const ofChain: TokenRow = {
    ...token,
    id,
    parentId: id,
    totalSupply: String(2n ** 160n),
    description: "",
    keywords: "",
    name: worst(MAX_NAME),
    symbol: worst(MAX_SYMBOL),
    icon: `/asset-icons/${id}`,
  };
  const ofRegistry: TokenRow = {
    ...ofChain,
    layer: 2 ** 31 - 1,
    parentId: worst(MAX_PARENT_ID),
    description: worst(MAX_DESCRIPTION),
    keywords: worst(MAX_KEYWORDS),
  };
  const outputs = (of: TokenRow): UtxoCursorPage => ({
    ...utxos,
    rows: Array.from({ length: 1000 }, () => ({
      ...row,
      token: { ...of },
      height: 2 ** 33,
      outputIndex: 2 ** 32,
      amount: String(2n ** 128n),
      capacity: String(2n ** 64n),
    })),
  });

  test("have the sizes that docs/api.md states", () => {
    expect(megabytes(codecs.addressUtxos.json(outputs(ofChain)))).toBeLessThan(3.2);
    expect(megabytes(codecs.addressUtxos.json(outputs(ofRegistry)))).toBeLessThan(18);
    const tags = Array.from({ length: MAX_TAGS }, () => worst(MAX_TAG));
    const change = {
      amount: String(2n ** 160n),
      amountUsd: String(2n ** 200n),
      asset: { ...ofRegistry, tags },
    };
    const rows = Array.from({ length: 100 }, () => change);
    expect(megabytes(codecs.blockAssetChanges.json({ ...changes, rows }))).toBeLessThan(1.6);
    expect(readFileSync("docs/api.md", "utf8")).toContain(
      "A page of 1,000 outputs has at most 18 MB of JSON, or 3.2 MB if all its texts come from the chain. A page of 100 asset changes has at most 1.6 MB.",
    );
  });
});

test("an icon has the URL that readers reach it at, if the server knows its own", () => {
  const iconOf = (icon: string, base: string) => assetOf({ ...utxos.rows[0]!.token, icon }, base).icon;
  expect(iconOf("", "https://assets.example")).toBe("");
  expect(iconOf("/asset-icons/0x01", "")).toBe("/asset-icons/0x01");
  expect(iconOf("/asset-icons/0x01", "https://example.org/assets")).toBe(
    "https://example.org/assets/asset-icons/0x01",
  );
});
