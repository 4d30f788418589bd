import { changes, columnOf, dataRows, expect, openTab, outputs, test, withoutAutoLoad } from "./support.ts";

test("the parts of an address are links, which keep the view", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}?span=all`);
  const script = (await openTab(page, "Lock script", "Lock script")).getByText("Code hash");
  await expect(page).toHaveURL(/\?span=all&tab=lock$/);
  await page.reload();
  await expect(script).toBeVisible();
  await openTab(page, /^Cells/, "Cells");
  await expect(page).toHaveURL(/\?span=all$/);
  await page.goBack();
  await expect(script).toBeVisible();
});

test("the address bar follows the reader, and a reload starts at the same row", async ({
  page,
  facts,
  api,
}) => {
  const { address } = facts.middling;
  await page.goto(`/addresses/${address}`);
  await expect(page.getByText(/^100 of [\d,]+ loaded$/)).toBeVisible();
  const secondPage = page.waitForResponse((response) => response.url().includes("cursor="));
  // A page that is still starting may ignore the key.
  await expect(async () => {
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.scrollY > 0, null, { timeout: 1000 });
  }).toPass();
  await secondPage;
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(page).toHaveURL(/[?&]from=/, { timeout: 1000 });
  }).toPass();
  await withoutAutoLoad(page);

  // The address bar may still follow the reader until the reload, whose request has the last place.
  const reloaded = (await page.reload())!;
  const row = Number(new URL(reloaded.url()).searchParams.get("row"));
  await expect(page.getByText("Showing from the middle of the list.")).toBeVisible();
  const [first] = await columnOf(outputs(page), "Out point");
  const all = await api.allUtxos(address);
  expect(row).toBeGreaterThan(1);
  expect(first).toBe(all[row - 1]?.outPoint);

  await page.getByRole("button", { name: "Start from the top" }).click();
  await expect(page).toHaveURL(`/addresses/${address}`);
  await expect.poll(async () => (await columnOf(outputs(page), "Out point"))[0]).toBe(all[0]?.outPoint);
});

test("invalid values in a link fall back to the default view", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?page=0&size=7&order=sideways&flagged=perhaps&unknown=1`);
  const { result } = await api.changes(busyBlockHash!, { orderKey: "volume", pageSize: "25" });
  // The page draws the rows below the first window after its start.
  await expect(dataRows(changes(page))).toHaveCount(result.length);
  const shown = await columnOf(changes(page), "Asset");
  expect(shown.map((text, at) => text.includes(result[at]?.asset.id ?? "?"))).toEqual(result.map(() => true));
  await expect(page.getByRole("columnheader", { name: /Volume/ })).toHaveAttribute("aria-sort", "descending");
});

test.describe("a cursor that the server did not issue", () => {
  test.use({ failuresExpected: true });

  test("is refused with a message, and the list can be started from the top", async ({ page, facts }) => {
    await page.goto(`/addresses/${facts.notable.smallAddress}?from=made-up`);
    const alert = page.getByRole("main").getByRole("alert");
    await expect(alert).toContainText("refused as invalid");
    await expect(alert).toContainText("cursor");
    await alert.getByRole("button", { name: "Start from the top" }).click();
    await expect(dataRows(outputs(page))).toHaveCount(3);
  });
});

test.describe("signed out", () => {
  test.use({ access: "none" });

  test("the API reference can be read", async ({ page }) => {
    await page.goto("/docs");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("/v0/addresses/{address}/utxos").first()).toBeVisible();
  });
});

test("a click on a block's number keeps the list until the block is there", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.evaluate(() => {
    const lacksHeading = () => !document.querySelector("h1") && document.body.classList.add("was-empty");
    new MutationObserver(lacksHeading).observe(document.body, { childList: true, subtree: true });
  });
  await dataRows(outputs(page)).first().locator("a[href^='/blocks/']").click();
  await expect(page.getByRole("heading", { name: /^Block/, level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/blocks\/0x[0-9a-f]{64}$/);
  await expect(page.locator("body")).not.toHaveClass(/was-empty/);
  await page.reload();
  await expect(page).toHaveURL(/\/blocks\/0x[0-9a-f]{64}$/);
  await page.goBack();
  await expect(dataRows(outputs(page)).first()).toBeVisible();
});
