import { dataRows, expect, outputs, test } from "./support.ts";

test("the document has the chosen theme from the start, so that nothing flashes", async ({
  page,
  facts,
  context,
}) => {
  const path = `/addresses/${facts.notable.smallAddress}`;
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(path);
  const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
  const light = await ink();
  await page.getByRole("banner").getByRole("combobox", { name: "Theme" }).selectOption("Dark");
  await expect.poll(ink).not.toBe(light);
  const dark = await ink();

  const html = await (await context.request.get(path)).text();
  expect(/<html[^>]*>/.exec(html)?.[0]).toContain('data-theme="dark"');
  await page.reload();
  expect(await ink()).toBe(dark);
  await expect(page.getByRole("banner").getByRole("combobox", { name: "Theme" })).toHaveValue("dark");
  await page.getByRole("banner").getByRole("combobox", { name: "Theme" }).selectOption("System");
  await expect.poll(ink).toBe(light);
});

test("rows can be taller, and stay so", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const row = dataRows(outputs(page)).first();
  const height = async () => (await row.boundingBox())?.height ?? 0;
  const compact = await height();
  await page.getByRole("contentinfo").getByRole("combobox", { name: "Rows" }).selectOption("Comfortable");
  await expect.poll(height).toBeGreaterThan(compact);
  const comfortable = await height();
  await page.reload();
  expect(await height()).toBe(comfortable);
});

test("times are in UTC, or in the reader's own zone by name", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const time = page.getByRole("main").getByRole("time").first();
  const moment = Date.parse((await time.getAttribute("datetime")) ?? "");
  await expect(time).toContainText(`${new Date(moment).toISOString().slice(0, 19).replace("T", " ")} UTC`);
  await page.getByRole("contentinfo").getByRole("combobox", { name: "Times" }).selectOption("Local");
  const local = new Date(moment + 3 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  await expect(time).toContainText(new RegExp(`${local} (EEST|GMT\\+3)`));
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
  await expect(recent.getByRole("listitem")).toHaveText(/^ckt1.*Unchanged/);
  await recent.getByRole("link").click();
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  await page.goto("/");
  await recent.getByRole("button", { name: "Clear" }).click();
  await expect(recent).toHaveCount(0);
  await page.reload();
  await expect(recent).toHaveCount(0);
});
