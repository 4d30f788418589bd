import { ownTime, passTimeUntil } from "../states.ts";
import { dataRows, expect, outputs, test } from "../support.ts";

test.use({ failuresExpected: true });

test("without any network the failure is still shown, and trying again loads the rows", async ({
  page,
  facts,
}) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.route("**/*", (route) => route.abort());
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  const alert = page.getByRole("main").getByRole("alert");
  await passTimeUntil(page, alert);
  await expect(alert).toContainText("The list: the server cannot be reached");
  await page.unroute("**/*");
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await expect(alert).toHaveCount(0);
});

test("an unusable response is not shown as the chain's status", async ({ page }) => {
  await ownTime(page);
  await page.goto("/");
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  for (const json of [{}, [], null]) {
    await page.route("**/status", (route) => route.fulfill({ json }));
    await page.clock.runFor(16_000);
    await expect(status).toContainText("1,000");
    await expect(status).toContainText("not updated");
    await page.unroute("**/status");
    await page.clock.runFor(16_000);
    await expect(status).not.toContainText("not updated");
  }
});

test("signing out while the server cannot be reached says that the reader is still signed in", async ({
  page,
}) => {
  await page.goto("/");
  await page.route("**/session", (route) => route.abort());
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "still signed in" })).toBeVisible();
  await expect(page).toHaveURL("/");
});
