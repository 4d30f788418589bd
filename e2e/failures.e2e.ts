import type { Page } from "@playwright/test";
import { failing, ownTime, passTimeUntil } from "./states.ts";
import { changes, columnOf, dataRows, expect, outputs, test } from "./support.ts";

test.use({ failuresExpected: true });

const lists = /\/v0\/(addresses|blocks)\//;

/** What the network does, and what the page says then. */
const failures: { name: string; said: string; code: string; fail: (page: Page) => Promise<unknown> }[] = [
  {
    name: "the request limit",
    said: "request limit reached",
    code: "TOO_MANY_REQUESTS · request",
    fail: (page) =>
      page.route(lists, (route) => route.fulfill(failing("TOO_MANY_REQUESTS", { "retry-after": "12" }))),
  },
  {
    name: "an overloaded server",
    said: "the server is overloaded",
    code: "SERVICE_UNAVAILABLE · request",
    fail: (page) => page.route(lists, (route) => route.fulfill(failing("SERVICE_UNAVAILABLE"))),
  },
  {
    name: "a request that is never answered",
    said: "the server did not answer in time",
    code: "TIMEOUT",
    fail: (page) => page.route(lists, () => {}),
  },
  {
    name: "an answer that is not the API's",
    said: "the answer could not be read",
    code: "UNREADABLE",
    fail: (page) =>
      page.route(lists, (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" })),
  },
  {
    name: "a success that is no list",
    said: "the answer could not be read",
    code: "UNREADABLE",
    fail: (page) => page.route(lists, (route) => route.fulfill({ json: {} })),
  },
];

for (const { name, said, code, fail } of failures) {
  test.describe(name, () => {
    test("before the first rows is not shown as an empty list, and trying again loads them", async ({
      page,
      facts,
    }) => {
      await ownTime(page);
      await page.goto(`/addresses/${facts.notable.smallAddress}`);
      await fail(page);
      await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
      const alert = page.getByRole("main").getByRole("alert");
      await passTimeUntil(page, alert);
      await expect(alert).toContainText(`The list: ${said}`);
      await expect(alert).toContainText(code);
      await expect(page.getByText(/No live cells|End of list/)).toHaveCount(0);
      await page.unroute(lists);
      await alert.getByRole("button", { name: "Try again" }).click();
      await expect(dataRows(outputs(page))).toHaveCount(3);
      await expect(alert).toHaveCount(0);
    });

    test("on a later page keeps the rows, and trying again continues after them", async ({ page, facts }) => {
      const { address, cells } = facts.middling;
      await ownTime(page);
      await page.goto(`/addresses/${address}`);
      await page.getByRole("checkbox", { name: "Auto-load" }).click();
      await expect(dataRows(outputs(page))).toHaveCount(100);
      await fail(page);
      await page.getByRole("button", { name: "Load next 100" }).click();
      const alert = outputs(page).getByRole("alert");
      await passTimeUntil(page, alert);
      await expect(alert).toContainText(`Rows after 100: ${said}`);
      await expect(alert).toContainText(code);
      await expect(page.getByText(`100 of ${cells} loaded`)).toBeVisible();
      await expect(page.getByText(/End of list/)).toHaveCount(0);
      await page.unroute(lists);
      await alert.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
    });

    test("on a block is not shown as a block that moved nothing", async ({ page, facts }) => {
      await ownTime(page);
      await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
      await expect(dataRows(changes(page))).toHaveCount(10);
      await fail(page);
      await page.getByRole("combobox", { name: "Order" }).selectOption("Order in the block");
      const alert = page.getByRole("main").getByRole("alert");
      await passTimeUntil(page, alert);
      await expect(alert).toContainText(said);
      await expect(page.getByText("No assets moved in this block")).toHaveCount(0);
      await page.unroute(lists);
      await alert.getByRole("button", { name: "Try again" }).click();
      await expect(dataRows(changes(page))).toHaveCount(10);
      await expect(alert).toHaveCount(0);
    });
  });
}

test("a server that times out is not asked again until the reader says so", async ({ page, facts }) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  let asked = 0;
  await page.route(lists, () => {
    asked += 1;
  });
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  await expect.poll(() => asked).toBe(1);
  await page.clock.runFor(31_000);
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText("The list: the server did not answer in time");
  await expect(alert.getByRole("button", { name: "Try again" })).toBeEnabled();
  expect(asked).toBe(1);
});

test.describe("a server that asks to wait", () => {
  const SECONDS = 12;

  /** The next request is asked to retry later; the result counts the list's requests. */
  async function limitOnce(page: Page): Promise<() => number> {
    let asked = 0;
    await page.route(lists, async (route) => {
      asked += 1;
      if (asked > 1) await route.continue();
      else await route.fulfill(failing("TOO_MANY_REQUESTS", { "retry-after": String(SECONDS) }));
    });
    return () => asked;
  }

  test("is asked again after that time, not before", async ({ page, facts }) => {
    const { address, cells } = facts.middling;
    await ownTime(page);
    await page.goto(`/addresses/${address}`);
    await page.getByRole("checkbox", { name: "Auto-load" }).click();
    const asked = await limitOnce(page);
    const refused = page.waitForResponse(lists);
    await page.getByRole("button", { name: "Load next 100" }).click();
    await (await refused).finished();
    await page.clock.runFor((SECONDS - 5) * 1000);
    expect(asked()).toBe(1);
    await page.clock.runFor(5000);
    await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
    expect(asked()).toBe(2);
  });

  for (const place of ["the first rows", "a later page", "a block", "an export"] as const) {
    test(`is waited for in view: ${place}`, async ({ page, facts }) => {
      await ownTime(page);
      await page.goto(
        place === "a block"
          ? `/blocks/${facts.notable.busyBlockHash}`
          : `/addresses/${facts.middling.address}`,
      );
      if (place !== "a block") await page.getByRole("checkbox", { name: "Auto-load" }).click();
      await limitOnce(page);
      if (place === "a later page") await page.getByRole("button", { name: "Load next 100" }).click();
      if (place === "the first rows")
        await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
      if (place === "a block")
        await page.getByRole("combobox", { name: "Order" }).selectOption("Order in the block");
      if (place === "an export") {
        await page.getByRole("button", { name: "Export" }).click();
        await page
          .getByRole("dialog")
          .getByRole("button", { name: /^CSV of All rows/ })
          .click();
      }

      const wait = page.getByText(/limit reached, continuing in \d+ s/i);
      const left = async () => Number(/(\d+) s/.exec((await wait.textContent()) ?? "")?.[1]);
      await expect(wait).toBeVisible();
      expect(await left()).toBeGreaterThan(SECONDS - 4);
      await page.clock.runFor(6000);
      await expect.poll(left).toBeLessThan(SECONDS - 4);
      await page.clock.runFor(SECONDS * 1000);
      await expect(wait).toHaveCount(0);
      await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
    });
  }
});

test("without any network the failure is still shown, and trying again loads the rows", async ({
  page,
  facts,
}) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.route("**/*", (route) => route.abort());
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  const alert = page.getByRole("main").getByRole("alert");
  await passTimeUntil(page, alert);
  await expect(alert).toContainText("The list: The server could not be reached");
  await page.unroute("**/*");
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await expect(alert).toHaveCount(0);
});

test("an export that waits for the network does not call it a limit", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const tried = page.waitForEvent("requestfailed");
  await page.route(lists, (route) => route.abort());
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export" });
  await dialog.getByRole("button", { name: /^CSV of All rows/ }).click();
  await tried;
  await expect(dialog.getByText(/continuing in \d+ s/)).toBeVisible();
  await expect(dialog.getByText(/limit reached/)).toHaveCount(0);
});

test("a late answer does not replace a newer request's", async ({ page, facts, api }) => {
  const { address } = facts.middling;
  await page.goto(`/addresses/${address}`);
  await expect(dataRows(outputs(page)).nth(99)).toBeAttached();
  const held = Promise.withResolvers<void>();
  await page.route(/[?&]order=desc/, async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  const order = page.getByRole("combobox", { name: "Order" });
  await order.selectOption("Newest first");
  await expect(outputs(page)).toHaveAttribute("aria-busy", "true");
  await order.selectOption("Oldest first");
  held.resolve();
  const { result } = await api.utxos(address, { pageSize: "1" });
  await expect.poll(async () => (await columnOf(outputs(page), "Out point"))[0]).toBe(result[0]?.outPoint);
  await expect(page).toHaveURL(`/addresses/${address}`);
});

test("a repeated cursor stops the list with a message", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.middling.address}`);
  await page.getByRole("checkbox", { name: "Auto-load" }).click();
  await page.route(lists, async (route) => {
    const response = await route.fetch();
    const lastCursor = new URL(route.request().url()).searchParams.get("cursor");
    await route.fulfill({ response, json: { ...(await response.json()), lastCursor } });
  });
  await page.getByRole("button", { name: "Load next 100" }).click();
  const alert = outputs(page).getByRole("alert");
  await expect(alert).toContainText("the list does not advance");
  await expect(alert.getByRole("button", { name: "Try again" })).toHaveCount(0);
});

test("the header says that the server cannot be reached, and when it is back", async ({ page, facts }) => {
  await ownTime(page);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  await page.route("**/status", (route) => route.abort());
  await page.clock.runFor(16_000);
  await expect(status).toContainText("unreachable");
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
  await expect(dataRows(changes(page))).toHaveCount(10);
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/status")) asked += 1;
  });
  await context.clearCookies();
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
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  const alert = page.getByRole("main").getByRole("alert");
  await alert.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
  await alert.getByRole("button", { name: "Sign in" }).click();
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await expect(status).not.toContainText("session expired");
});

test("an unusable answer is not shown as the chain's state", async ({ page }) => {
  await ownTime(page);
  await page.goto("/");
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  for (const json of [{}, [], null]) {
    await page.route("**/status", (route) => route.fulfill({ json }));
    await page.clock.runFor(16_000);
    await expect(status).toContainText("1,000");
    await expect(status).toContainText("unreachable");
    await page.unroute("**/status");
    await page.clock.runFor(16_000);
    await expect(status).not.toContainText("unreachable");
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
