import { chooseSetting, dataRows, expect, outputs, setting, test } from "./support.ts";

test("the document has the chosen theme from the start, so that nothing flashes", async ({ page, facts }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
  const light = await ink();
  await chooseSetting(page, "Theme", "Dark");
  await expect.poll(ink).not.toBe(light);
  const dark = await ink();

  const html = await (await page.reload())!.text();
  expect(/<html[^>]*>/.exec(html)?.[0]).toContain('data-theme="dark"');
  expect(await ink()).toBe(dark);
  await expect(setting(page, "Theme")).toHaveValue("dark");
  await chooseSetting(page, "Theme", "System");
  await expect.poll(ink).toBe(light);
});

test("rows can be lower, and stay so", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const row = dataRows(outputs(page)).first();
  const height = async () => (await row.boundingBox())?.height ?? 0;
  const tall = await height();
  await chooseSetting(page, "Rows", "Compact");
  await expect.poll(height).toBeLessThan(tall);
  const compact = await height();
  await page.reload();
  expect(await height()).toBe(compact);
});

test("times are in UTC, or in the reader's own zone by name", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const time = page.getByRole("main").getByRole("time").first();
  const moment = Date.parse((await time.getAttribute("datetime")) ?? "");
  await expect(time).toContainText(`${new Date(moment).toISOString().slice(0, 19).replace("T", " ")} UTC`);
  await chooseSetting(page, "Times", "Local");
  const local = new Date(moment + 3 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  await expect(time).toContainText(new RegExp(`${local} GMT\\+3`));
});

test("the home page remembers addresses, in this browser only, until they are cleared", async ({
  page,
  facts,
}) => {
  const { smallAddress } = facts.notable;
  await page.goto(`/addresses/${smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await page.goto("/");
  const recent = page.getByRole("region", { name: /^Recent/ });
  await expect(recent.getByRole("listitem")).toHaveText(/^ckt1.*No transactions/);
  await recent.getByRole("link").click();
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  await page.goto("/");
  await recent.getByRole("button", { name: "Clear" }).click();
  await expect(recent).toHaveCount(0);
  await page.reload();
  await expect(recent).toHaveCount(0);
});
