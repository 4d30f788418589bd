import { describe, expect, test } from "vitest";
import { exportPieces } from "#lib/client/export.ts";
import { readView } from "#lib/client/url-state.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { assetChangeList } from "./list.ts";

const u128Max = 340282366920938463463374607431768211455n;
const viewOf = (search: string) => readView(assetChangeList.fields, new URLSearchParams(search));

function change(overrides: Partial<AssetChange["asset"]> = {}): AssetChange {
  const asset = { id: "0x01", name: "Coin", symbol: "C", icon: "", decimals: 8, ...overrides };
  return {
    amount: u128Max,
    amountUsd: "0.10000001",
    asset,
    tags: ["a", "b"],
    amountExact: String(u128Max),
    amountUsdExact: "0.10000001",
  };
}

describe("the request of a view", () => {
  test("orders by volume, largest first, by default", () => {
    expect(assetChangeList.pathOf({ blockHash: "0xab" }, viewOf(""))).toBe(
      "/v0/blocks/0xab/asset-changes?orderKey=volume&orderDirection=desc&page=1&include=kind&pageSize=25",
    );
  });

  test("has no order for the order of the block", () => {
    expect(
      assetChangeList.pathOf(
        { blockHash: "0xab" },
        viewOf("order=chain&name=x&tags=a,b&page=2&size=25&flagged=show"),
      ),
    ).toBe("/v0/blocks/0xab/asset-changes?search=x&tags=a&tags=b&page=2&include=kind&pageSize=25");
  });
});

describe("the list as CSV", () => {
  const factsOf = { subject: {}, query: "/v0", time: 0, tip: null, complete: true };
  const csv = (one: AssetChange) =>
    exportPieces([one], "csv", assetChangeList.csv, factsOf).join("").split("\r\n");

  test("has all digits, and no formulas", () => {
    const [heads, row] = csv(change({ name: '=HYPERLINK("x")' }));
    expect(heads).toBe(
      '\ufeff"asset_id","symbol","name","decimals","amount","amount_in_units","amount_usd","tags","as_of_block","as_of_block_hash","complete"',
    );
    expect(row).toBe(
      `"0x01","C","'=HYPERLINK(""x"")","8","${u128Max}","3402823669209384634633746074317.68211455","0.10000001","a; b","","","yes"`,
    );
  });

  test("leaves the value empty if the asset has no price", () => {
    const valued = (amount: bigint, amountUsd: string) => csv({ ...change(), amount, amountUsd })[1];
    expect(valued(5n, "0")).toBe('"0x01","C","Coin","8","5","0.00000005","","a; b","","","yes"');
    expect(valued(0n, "0")).toBe('"0x01","C","Coin","8","0","0","0","a; b","","","yes"');
  });

  test("leaves the scaled amount empty if the page calls the scale unknown", () => {
    const silent = { name: "", symbol: "", decimals: 0 };
    expect(csv(change(silent))[1]).toContain(`"","","0","${u128Max}","",`);
    const whole = { name: "Moor", symbol: "", decimals: 0 };
    expect(csv(change(whole))[1]).toContain(`"0","${u128Max}","${u128Max}",`);
  });
});
