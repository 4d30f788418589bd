import { changes, dataRows, expect, expectAccessible, outputs, test } from "./support.ts";

test("an address page has no accessibility fault in either theme", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.lookAlikeAddress}?flagged=show&lock=1`);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  await expectAccessible(page);
});

test("a block page has no accessibility fault in either theme", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?tags=meme,rwa&name=o&size=25`);
  await expect(dataRows(changes(page)).first()).toBeVisible();
  await expectAccessible(page);
});

test("open menus and popovers have no accessibility fault", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await page.getByRole("button", { name: "Account" }).click();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Sign out" })).toBeHidden();
  await page.getByRole("button", { name: "Chain status" }).click();
  await expect(page.getByText("Tip hash")).toBeVisible();
  await expectAccessible(page);
});

test("each page has one main heading, and the first stop of the keyboard leads to the results", async ({
  page,
  facts,
}) => {
  for (const path of [
    "/",
    `/addresses/${facts.notable.smallAddress}`,
    `/blocks/${facts.notable.busyBlockHash}`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    // The home page's field has the focus from the start: begin at the top of the page.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press("Tab");
    if (path === "/") continue;
    await expect(page.getByRole("link", { name: "Skip to results" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#results$/);
  }
});

test.describe("signed out", () => {
  test.use({ access: "none", failuresExpected: true });

  test("the sign-in page has no accessibility fault, with an error and without", async ({ page }) => {
    await page.goto("/sign-in");
    await page.getByText("How to get a token").click();
    await expectAccessible(page);
    await page.getByLabel("Access token", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("This token is not accepted.")).toBeVisible();
    await expectAccessible(page);
  });
});
