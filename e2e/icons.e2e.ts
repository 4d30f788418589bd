import type { Page } from "@playwright/test";
import { dataRows, expect, outputs, shareImage, test } from "./support.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** Opens the list of the address with odd names, as if each asset had an icon on its issuer's host. */
async function openWithIcons(page: Page, address: string): Promise<string[]> {
  // Browsers load pictures as they come near the window.
  await page.setViewportSize({ width: 1280, height: 6000 });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.resourceType() === "image") asked.push(pathname);
  });
  await page.route("**/v0/addresses/**", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('"icon":""', '"icon":"https://issuer.example/icon.png"');
    expect(body).toContain("https://issuer.example/icon.png");
    await route.fulfill({ response, body });
  });
  await page.goto(`/addresses/${address}?flagged=show`);
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  await expect(page).toHaveURL(/order=asc/);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  return asked;
}

/** The icon of each row's token, and whether the token is flagged. */
async function marks(page: Page): Promise<{ icon: string | null; pattern: boolean; flagged: boolean }[]> {
  return dataRows(outputs(page)).evaluateAll((rows) =>
    rows.map((row) => ({
      icon: row.querySelector("img")?.getAttribute("src") ?? null,
      pattern: row.querySelector("svg[viewBox='-2.5 -2.5 10 10']") !== null,
      flagged: row.querySelector("[data-flag]") !== null,
    })),
  );
}

test("a token's picture is shown beside its name, and its look-alike has a pattern", async ({
  page,
  facts,
  api,
}) => {
  const { lookAlikeAddress, knownToken } = facts.notable;
  await page.goto(`/addresses/${lookAlikeAddress}?flagged=show`);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  const entries = await api.allUtxos(lookAlikeAddress!);
  const shown = await marks(page);
  expect(entries.map(({ tokenInfo }) => tokenInfo.icon)).toContain(`/asset-icons/${knownToken}`);
  expect(shown.map(({ icon }) => icon ?? "")).toEqual(entries.map(({ tokenInfo }) => tokenInfo.icon));
  expect(shown.filter(({ flagged }) => flagged)).not.toEqual([]);
  for (const { icon, pattern } of shown) expect(pattern).toBe(icon === null);
  // They load as they come near the window.
  const widths = () =>
    outputs(page)
      .locator("img")
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
  await expect.poll(async () => [...new Set(await widths())]).toEqual([64]);
});

test("a picture is sent once, and asking for another asset's is 404", async ({ page, facts }) => {
  const path = `/asset-icons/${facts.notable.knownToken}`;
  const first = await page.request.get(path);
  expect([first.status(), first.headers()["content-type"]]).toEqual([200, "image/webp"]);
  expect((await first.body()).toString("latin1", 8, 12)).toBe("WEBP");
  expect(first.headers()["cache-control"]).toMatch(/^private, max-age=\d+$/);
  expect(first.headers()["content-security-policy"]).toBe("default-src 'none'; sandbox");
  const again = await page.request.get(path, { headers: { "If-None-Match": first.headers().etag! } });
  expect([again.status(), (await again.body()).length]).toEqual([304, 0]);
  for (const id of ["0x00", "..%2F..%2Fetc%2Fpasswd", "%00"]) {
    expect((await page.request.get(`/asset-icons/${id}`)).status(), id).toBe(404);
  }
});

test("icons are loaded from this site only, and flagged tokens have their pattern", async ({
  page,
  facts,
  api,
}) => {
  const { hostileAddress } = facts.notable;
  await page.route("**/asset-icons/**", (route) => route.fulfill({ contentType: "image/png", body: PIXEL }));
  const asked = await openWithIcons(page, hostileAddress!);
  const entries = await api.allUtxos(hostileAddress!, { order: "asc" });
  await expect.poll(async () => (await marks(page)).some(({ icon }) => icon !== null)).toBe(true);
  const shown = await marks(page);
  expect(shown.some(({ flagged }) => flagged)).toBe(true);
  expect(shown).toEqual(
    entries.map(({ tokenInfo }, at) => {
      const flagged = shown[at]?.flagged ?? false;
      return { icon: flagged ? null : `/asset-icons/${tokenInfo.id}`, pattern: flagged, flagged };
    }),
  );
  const icons = [...new Set(shown.flatMap(({ icon }) => icon ?? []))].sort();
  await expect.poll(() => [...new Set(asked)].sort()).toEqual(icons);
});

test.describe("if pictures fail to load", () => {
  test.use({ failuresExpected: true });

  test("every token has its pattern", async ({ page, facts }) => {
    await page.route("**/asset-icons/**", (route) => route.fulfill({ status: 404 }));
    const asked = await openWithIcons(page, facts.notable.hostileAddress!);
    await expect
      .poll(async () => (await marks(page)).map(({ icon, pattern }) => icon === null && pattern))
      .not.toContain(false);
    expect(asked.length).toBeGreaterThan(0);
  });
});

test("preview pictures of shared links are still drawn after an icon was requested", async ({
  page,
  facts,
}) => {
  const { busyAddress, knownToken } = facts.notable;
  expect((await page.request.get(`/asset-icons/${knownToken}`)).status()).toBe(200);
  await page.goto(`/addresses/${busyAddress}`);
  const picture = await shareImage(page);
  expect([picture.status(), picture.headers()["content-type"]]).toEqual([200, "image/png"]);
  expect((await picture.body()).subarray(1, 4).toString()).toBe("PNG");
});

test.describe("signed out", () => {
  test.use({ access: "none" });

  test("every asset's icon is refused, whether or not one is stored", async ({ page, facts }) => {
    for (const id of [facts.notable.knownToken, "0x00"]) {
      const response = await page.request.get(`/asset-icons/${id}`);
      expect([response.status(), await response.text()]).toEqual([401, "Sign in to see icons.\n"]);
    }
  });
});
