import { expect, openExport, test, textOf, withoutAutoLoad } from "../support.ts";

test("an export of all rows reads a long list to its end, beyond the loaded rows", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${busyAddress}`);
  const dialog = await openExport(page);
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: /^NDJSON of All rows/ }).click();
  const lines = (await textOf(await saved)).trimEnd().split("\n");
  const about = JSON.parse(lines[0]!) as { count: number; complete: boolean; query: string };
  expect(about).toMatchObject({ count: 20_000, complete: true });
  expect(about.query).toContain("order=desc");
  const outPoints = lines.slice(1).map((line) => (JSON.parse(line) as { outPoint: string }).outPoint);
  const all = await api.allUtxos(busyAddress!);
  expect(outPoints).toEqual(all.map(({ outPoint }) => outPoint));
  await expect(dialog).toHaveCount(0);
});
