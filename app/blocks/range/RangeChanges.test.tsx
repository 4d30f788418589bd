import { expect, test } from "vitest";
import { openExport, press, renderPart, savedFiles, setUpParts } from "#components/testing/parts.tsx";
import { readView } from "#lib/client/url-state.ts";
import type { RangeAssetChange } from "#lib/queries/range-asset-changes/contract.ts";
import { rangeChangeList } from "./list.ts";
import { RangeChanges } from "./RangeChanges.tsx";

setUpParts();

test("a file names its range in each row and in its name", async () => {
  const change: RangeAssetChange = {
    ...{
      amount: 5n,
      amountUsd: "0",
      amountExact: "5",
      amountUsdExact: "0",
      tags: [],
      blocks: 2,
      transactions: 3,
    },
    asset: { id: "0x01", name: "Coin", symbol: "C", icon: "", decimals: 8 },
  };
  const list = rangeChangeList("3", "0x99");
  const native = null;
  const namesakes = { listed: [], bySymbol: [] };
  renderPart(
    <RangeChanges
      from="3"
      to="9"
      hash="0x99"
      moved={{ native, namesakes, tags: [], assetCount: 1, largest: [], volumeUsd: "0" }}
      first={{
        path: list.pathOf({}, readView(list.fields, new URLSearchParams())),
        response: { data: { result: [change], total: 1 }, tip: null, requestId: "" },
      }}
    />,
  );
  const saved = savedFiles();
  await openExport();
  await press("button", /^CSV of Rows loaded/);
  expect(saved[0]!.name).toMatch(/^asset-changes-of-range-\d{14}-3-9\.csv$/);
  const [heads, row] = (await saved[0]!.text).split("\r\n");
  expect(heads).toMatch(/^\ufeff"from_height","to_height","asset_id",/);
  expect(row).toMatch(/^"3","9","0x01",/);
});
