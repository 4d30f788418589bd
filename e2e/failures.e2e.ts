import { ownTime } from "./states.ts";
import { changes, dataRows, expect, expectNoSidewaysScroll, outputs, searchField, test } from "./support.ts";

test.use({ failuresExpected: true });

test("the header says that the server cannot be reached, and when it is back", async ({ page, facts }) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  await page.route("**/status", (route) => route.abort());
  await page.clock.runFor(16_000);
  await expect(status).toContainText("unreachable");
  await page.setViewportSize({ width: 320, height: 700 });
  const note = await status.getByText("unreachable").boundingBox();
  expect(note?.width).toBeGreaterThan(50);
  await expectNoSidewaysScroll(page);
  await page.unroute("**/status");
  await page.clock.runFor(16_000);
  await expect(status).not.toContainText("unreachable");
});

test("the header says that the session has ended and where to sign in, and sends no more requests", async ({
  page,
  context,
  facts,
}) => {
  const path = `/blocks/${facts.notable.busyBlockHash}?order=asc`;
  await ownTime(page);
  await page.goto(path);
  await expect(dataRows(changes(page))).toHaveCount(25);
  await context.clearCookies();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/status")) asked += 1;
  });
  await page.clock.runFor(16_000);
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  await expect(status).toContainText("session expired");
  await expect(status).not.toContainText("unreachable");
  expect(asked).toBe(1);
  await page.clock.runFor(60_000);
  expect(asked).toBe(1);

  await status.click();
  await expect(page.getByText(/^Your session has ended/)).toBeVisible();
  await expect(page.getByText(/cannot be reached/)).toHaveCount(0);
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(path)}`);
  await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(path);
  await expect(status).not.toContainText("session expired");
});

test("signing in within the page restores the header's state too", async ({ page, context, facts }) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await context.clearCookies();
  await page.clock.runFor(16_000);
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  await expect(status).toContainText("session expired");
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  const alert = page.getByRole("main").getByRole("alert");
  await alert.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
  await alert.getByRole("button", { name: "Sign in" }).click();
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await expect(status).not.toContainText("session expired");
});

test("the search explains in plain words why it failed", async ({ page, context }) => {
  await page.goto("/");
  await context.clearCookies();
  await searchField(page).fill("tide");
  await expect(page.getByRole("search").getByText("Session expired.").first()).toBeVisible();
});

test("offline, a tab that is pressed leaves the rows and a sentence about it, and opens once online", async ({
  page,
  context,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await context.setOffline(true);
  const tabs = page.getByRole("navigation", { name: "Parts of this address" });
  await tabs.getByRole("link", { name: "Statement" }).click();
  const said = page.getByText("You are offline. This page stays until the next one loads.");
  await expect(said).toBeVisible();
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await context.setOffline(false);
  await expect(page).toHaveURL(/[?&]tab=statement$/);
  await expect(dataRows(page.getByRole("table", { name: "Statement" })).first()).toBeVisible();
  await expect(said).toHaveCount(0);
});
