import { keepingBrotli } from "./brotli.ts";
import { databaseOf } from "./sites.ts";
import { expect, test } from "./support.ts";

const { startServer } = await keepingBrotli(() => import("#lib/testing/attacks/served-app.ts"));

test.use({ access: "none" });

test("a guest reads at once, signs in with another token and comes back to the page, and signs out", async ({
  page,
  context,
  facts,
}) => {
  // The site has a server of its own here, with a guest.
  context.removeAllListeners("request");
  const server = await startServer(databaseOf("demo"), { GUEST_TOKEN: facts.tokens.changesOnly });
  const url = `${server.origin}/blocks/${facts.notable.busyBlockHash}?order=asc`;
  const rows = page.getByRole("table", { name: "Asset changes" });
  const account = page.getByRole("button", { name: "Account" });
  try {
    await page.goto(url);
    await expect(rows).toBeVisible();
    await account.click();
    await expect(page.getByText("Guest", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Use another token" }).click();
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    expect(new URL(page.url()).searchParams.get("next")).toBe(url.slice(server.origin.length));
    await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(url);
    await expect(rows).toBeVisible();
    await account.click();
    await expect(page.getByText("browser tests")).toBeVisible();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await page.goto(url);
    await expect(rows).toBeVisible();
    await account.click();
    await expect(page.getByText("Guest", { exact: true })).toBeVisible();
  } finally {
    // An open page would ask the stopped server for its status.
    await page.close();
    await server.stop();
  }
});
