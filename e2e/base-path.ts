/**
 * Walks through the built app below a base path, as a reader does, and fails if anything outside it is requested:
 *
 *     BASE_PATH=/assets npm run build && BASE_PATH=/assets node_modules/.bin/node e2e/base-path.ts
 */
import { chromium } from "@playwright/test";
import { readConfig } from "#lib/config.ts";
import { report, serveApp } from "#lib/testing/attacks/served-app.ts";
import config from "./playwright.config.ts";

const { BASE_PATH } = readConfig();
if (BASE_PATH === "") throw new Error("Set BASE_PATH, for the build and for this");

const app = await serveApp();
const { origin } = new URL(app.origin);
const browser = await chromium.launch(config.use?.launchOptions);
const page = await browser.newPage({ baseURL: `${origin}${BASE_PATH}/` });
const outside: string[] = [];
const failed: string[] = [];
page.on("response", (response) => {
  const { pathname } = new URL(response.url());
  if (pathname !== BASE_PATH && !pathname.startsWith(`${BASE_PATH}/`)) outside.push(pathname);
  if (response.status() >= 400) failed.push(`${response.status()} ${pathname}`);
});
process.on("uncaughtException", (error) => {
  console.error(page.url(), visited, failed, outside, error);
  process.exit(1);
});
page.on("pageerror", (error) => failed.push(String(error)));

/** Records the links and pictures of the page that lead outside. */
async function look(): Promise<void> {
  const paths = await page.evaluate(() =>
    [...document.querySelectorAll("a[href], img[src], link[href], form[action]")].map(
      (each) =>
        new URL(
          each.getAttribute("href") ?? each.getAttribute("src") ?? each.getAttribute("action") ?? "",
          location.href,
        ).pathname,
    ),
  );
  const metas = await page
    .locator('meta[property="og:image"], meta[name="twitter:image"]')
    .evaluateAll((all) => all.map((each) => new URL(each.getAttribute("content") ?? "").pathname));
  for (const path of [...paths, ...metas]) {
    if (path !== BASE_PATH && !path.startsWith(`${BASE_PATH}/`)) outside.push(`${page.url()} has ${path}`);
  }
  for (const image of new Set(metas)) {
    const { status } = await fetch(origin + image);
    if (status !== 200) failed.push(`${status} ${image}`);
  }
}

const visited: string[] = [];
/** Waits for the page at a path below the base path, and checks it. */
async function arrive(path: RegExp): Promise<void> {
  await page.waitForURL((url) => path.test(url.pathname.slice(BASE_PATH.length) + url.search));
  await page.getByRole("main").waitFor();
  await page.waitForLoadState("networkidle");
  visited.push(new URL(page.url()).pathname.slice(0, 40));
  await look();
}

const signIn = async () => {
  await page.getByLabel("Access token").fill(app.token);
  await page.getByRole("button", { name: "Sign in" }).click();
};

await page.goto("docs");
await page.getByRole("link", { name: "Sign in" }).first().click();
await arrive(/^\/sign-in\?next=/);
await signIn();
await arrive(/^\/docs$/);
const sample =
  (await page
    .getByText(/curl -H/)
    .first()
    .textContent()) ?? "";
await page.getByRole("button", { name: "Send" }).first().click();
await page.getByText(/^200/).first().waitFor();
await page.getByRole("banner").getByRole("link").first().click();
await arrive(/^\/?$/);
await page.getByRole("link", { name: "Follow", exact: true }).click();
await arrive(/^\/blocks\/tip/);
await page.goto(`addresses/${app.notable.busyAddress}`);
await arrive(/^\/addresses\//);
await page.locator('[role="row"] a[href*="/blocks/"], tr a[href*="/blocks/"]').first().click();
await arrive(/^\/blocks\/0x/);
await page.goBack();
await arrive(/^\/addresses\//);
await page.getByRole("button", { name: "Account" }).click();
await page.getByRole("button", { name: "Sign out" }).click();
await arrive(/^\/sign-in/);
await page.goto("blocks/tip?order=asc");
await arrive(/^\/sign-in\?next=/);
await signIn();
await arrive(/^\/blocks\/tip\?order=asc/);
await browser.close();

const stripped = await fetch(`${origin}/docs`);
report([
  ["pages", visited.join(" "), visited.length > 8],
  ["requests, links and pictures outside the base path", outside.join(", ") || "none", outside.length === 0],
  ["failed requests", failed.join(", ") || "none", failed.length === 0],
  ["a sample's URL", /'(.*?)'/.exec(sample)?.[1] ?? "", sample.includes(`${origin}${BASE_PATH}/v0/`)],
  ["/docs without the base path", stripped.status, stripped.status === 404],
]);
await app.stop();
