import type { Page } from "@playwright/test";
import { dataRows, expect, outputs, shareImage, test } from "./support.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** Opens the list of the address with odd names, as if each asset had an icon of its issuer's host. */
async function openWithIcons(page: Page, address: string): Promise<string[]> {
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
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  await expect(page).toHaveURL(/order=desc/);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  return asked;
}

/** What stands before each token's name, and whether the token is flagged. */
async function marks(page: Page): Promise<{ icon: string | null; pattern: boolean; flagged: boolean }[]> {
  return dataRows(outputs(page)).evaluateAll((rows) =>
    rows.map((row) => ({
      icon: row.querySelector("img")?.getAttribute("src") ?? null,
      pattern: row.querySelector("svg[viewBox='-1 -1 7 7']") !== null,
      flagged: row.querySelector(".chip-warn") !== null,
    })),
  );
}

test("icons come from this site alone, and flagged tokens have their pattern", async ({
  page,
  facts,
  api,
}) => {
  const { hostileAddress } = facts.notable;
  await page.route("**/asset-icons/**", (route) => route.fulfill({ contentType: "image/png", body: PIXEL }));
  const asked = await openWithIcons(page, hostileAddress!);
  const entries = await api.allUtxos(hostileAddress!, { order: "desc" });
  await expect.poll(async () => (await marks(page)).some(({ icon }) => icon !== null)).toBe(true);
  const shown = await marks(page);
  expect(shown.some(({ flagged }) => flagged)).toBe(true);
  expect(shown).toEqual(
    entries.map(({ tokenInfo }, at) => {
      const flagged = shown[at]?.flagged ?? false;
      return { icon: flagged ? null : `/asset-icons/${tokenInfo.id}`, pattern: flagged, flagged };
    }),
  );
  expect(new Set(asked)).toEqual(new Set(shown.flatMap(({ icon }) => icon ?? [])));
});

test.describe("without a host that icons are fetched from", () => {
  test.use({ failuresExpected: true });

  test("every token has its pattern", async ({ page, facts }) => {
    const asked = await openWithIcons(page, facts.notable.hostileAddress!);
    await expect
      .poll(async () => (await marks(page)).map(({ icon, pattern }) => icon === null && pattern))
      .not.toContain(false);
    expect(asked.length).toBeGreaterThan(0);
  });
});

test("pictures of shared links are still drawn after an icon was asked for", async ({ page, facts }) => {
  const { busyAddress, knownToken } = facts.notable;
  expect((await page.request.get(`/asset-icons/${knownToken}`)).status()).toBe(404);
  await page.goto(`/addresses/${busyAddress}`);
  const picture = await shareImage(page);
  expect([picture.status(), picture.headers()["content-type"]]).toEqual([200, "image/png"]);
});

test.describe("signed out", () => {
  test.use({ access: "none" });

  test("an asset's icon is refused, whether or not there is one", async ({ page, facts }) => {
    for (const id of [facts.notable.knownToken, "0x00"]) {
      const response = await page.request.get(`/asset-icons/${id}`);
      expect([response.status(), await response.text()]).toEqual([401, "Sign in to see icons.\n"]);
    }
  });
});
