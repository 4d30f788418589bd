import type { Locator } from "@playwright/test";
import { announcer, changes, columnOf, dataRows, expect, outputs, test, withoutAutoLoad } from "./support.ts";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the whole task by keyboard: search, step through rows, open one, copy, go to its block", async ({
  page,
  facts,
  api,
}) => {
  const { smallAddress } = facts.notable;
  const { result } = await api.utxos(smallAddress!);
  await page.goto("/");
  await page.keyboard.press("/");
  await page.keyboard.type(smallAddress!);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  const rows = dataRows(outputs(page));
  await expect(rows).toHaveCount(3);

  await page.keyboard.press("j");
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("j");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("k");
  await expect(rows.nth(1)).toBeFocused();

  await page.keyboard.press("Enter");
  const toggle = rows.nth(1).getByRole("button", { name: "Details of row 2" });
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(toggle).toHaveAttribute("aria-expanded", "false");

  await page.keyboard.press("c");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(result[1]!.outPoint);
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/\/blocks\/0x/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(
    `Block ${result[1]!.blockHeight} moved`,
  );
  await page.goBack();
  await expect(rows.nth(1)).toBeFocused();
});

test("Home and End reach rows that are not drawn", async ({ page, facts }) => {
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const rows = dataRows(outputs(page));
  await page.getByRole("button", { name: "Load next 100" }).click();
  await page.getByRole("button", { name: "Load next 100" }).click();
  await expect(page.getByText(/^300 of .* loaded$/)).toBeVisible();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-rowindex"));
  await rows.first().focus();
  await page.keyboard.press("Home");
  await expect.poll(focused).toBe("2");
  await page.keyboard.press("End");
  await expect.poll(focused).toBe("301");
  await page.keyboard.press("ArrowUp");
  await expect.poll(focused).toBe("300");
});

test("the table is one stop of the Tab key", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const rows = dataRows(outputs(page));
  await expect(rows).toHaveCount(3);
  await rows.nth(0).focus();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1)).toBeFocused();
  for (let stops = 0; stops < 12; stops++) {
    await page.keyboard.press("Tab");
    if (!(await outputs(page).evaluate((table) => table.contains(document.activeElement)))) break;
    expect(await rows.nth(1).evaluate((row) => row.contains(document.activeElement))).toBe(true);
  }
  expect(await outputs(page).evaluate((table) => table.contains(document.activeElement))).toBe(false);
});

test("the focus stays on what was pressed, or goes to the list if that went away", async ({
  page,
  facts,
}) => {
  const { busyAddress, busyBlockHash } = facts.notable;
  const press = async (control: Locator) => {
    await control.focus();
    await page.keyboard.press("Enter");
  };
  await page.goto(`/blocks/${busyBlockHash}`);
  const tags = page.getByRole("group", { name: "Filter by tag" });
  await press(tags.getByRole("button", { name: /more$/ }));
  await expect(tags.getByRole("button", { name: "Fewer" })).toBeFocused();
  const heading = page.getByRole("heading", { level: 1 });
  const name = (await heading.textContent()) ?? "";
  const previous = page.getByRole("link", { name: "Previous block" });
  await press(previous);
  await expect(heading).not.toHaveText(name);
  await expect(previous).toBeFocused();
  const compare = page.getByRole("navigation", { name: "Parts of this block" }).getByText("Compare");
  await press(compare);
  await expect(page).toHaveURL(/compare=parent/);
  await expect(compare).toBeFocused();

  await page.goto(`/addresses/${busyAddress}`);
  await press(outputs(page).getByTitle("Show only this token").first());
  await expect(page).toHaveURL(/token=/);
  await expect(page.locator("#results")).toBeFocused();
  await press(page.getByRole("button", { name: /^Remove the filter/ }));
  await expect(page).not.toHaveURL(/token=/);
  await expect(page.locator("#results")).toBeFocused();

  await page.goto(`/addresses/${busyAddress}?tab=statement&at=500`);
  await press(page.getByRole("link", { name: "Back to now" }));
  await expect(page).not.toHaveURL(/at=/);
  await expect(page.locator("#results")).toBeFocused();
});

test("a list that is sorted by value by keyboard shows the focus in one ring", async ({ page, facts }) => {
  const { address, cells } = facts.middling;
  await page.goto(`/addresses/${address}`);
  await outputs(page).getByRole("button", { name: "Value" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/[?&]sort=value$/);
  const value = outputs(page).getByRole("columnheader", { name: "Value" });
  await expect(value).toHaveAttribute("aria-sort", "descending");
  await expect(announcer(page)).toHaveText(`${cells} cells loaded`);
  const ring = await page.evaluate(() => {
    const focused = document.activeElement!;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    const { length } = focused.getClientRects();
    return { text: focused.textContent, outlineStyle, isSeen: Number.parseFloat(outlineWidth) > 0, length };
  });
  expect(ring).toEqual({ text: "Value", outlineStyle: "solid", isSeen: true, length: 1 });
});

test("a block page has keyboard shortcuts", async ({ page, facts }) => {
  const { busyBlockHash } = facts.notable;
  const path = `/blocks/${busyBlockHash}`;
  await page.goto(path);
  await expect(dataRows(changes(page))).toHaveCount(25);
  await page.keyboard.press("]");
  await expect(page).toHaveURL(`${path}?page=2`);
  await page.keyboard.press("[");
  await expect(page).toHaveURL(path);
  await page.keyboard.press("s");
  await expect(page.getByRole("columnheader", { name: /Volume/ })).toHaveAttribute("aria-sort", "ascending");
  await page.keyboard.press("f");
  const filter = page.getByRole("textbox", { name: "Name, symbol or id" });
  await expect(filter).toBeFocused();
  await page.keyboard.type("s/]?t");
  await expect(filter).toHaveValue("s/]?t");
  await expect(page).toHaveURL(/[?&]name=s\/\]\?t$/);
  await page.keyboard.press("Escape");
  await filter.blur();
  await page.keyboard.press("/");
  await expect(page.getByRole("banner").getByRole("combobox")).toBeFocused();
  await page.getByRole("banner").getByRole("combobox").blur();

  const heading = page.getByRole("heading", { level: 1 });
  const name = (await heading.textContent()) ?? "";
  await page.keyboard.press("ArrowRight");
  await expect(heading).not.toHaveText(name);
  await page.keyboard.press("ArrowLeft");
  await expect(heading).toHaveText(name);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(page).toHaveURL("/");
});

test("the help lists the keys, closes with Escape, and can switch them off", async ({ page, facts }) => {
  const path = `/blocks/${facts.notable.busyBlockHash}`;
  await page.goto(path);
  await expect(dataRows(changes(page))).toHaveCount(25);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help).toBeVisible();
  await help.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);

  const before = await columnOf(changes(page), "Asset");
  await page.keyboard.press("]");
  await page.keyboard.press("s");
  await page.keyboard.press("?");
  await page.reload();
  await page.keyboard.press("]");
  await expect(page).toHaveURL(path);
  expect(await columnOf(changes(page), "Asset")).toEqual(before);
  await expect(help).toHaveCount(0);

  // The help has a button, since every shortcut is also a control.
  const menu = page.getByRole("button", { name: "Account and settings" });
  await menu.click();
  await page.locator("#account").getByRole("button", { name: "Shortcuts" }).click();
  await expect(help).toBeVisible();
  await help.getByRole("checkbox", { name: "Single-key shortcuts" }).check();
  await help.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await expect(page).toHaveURL(`${path}?page=2`);
});
