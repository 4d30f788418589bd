import { controlsAnswer, expect, signIn, test } from "./support.ts";

test.use({ access: "none" });

test("a signed-out reader reaches the requested page after signing in", async ({ page, facts }) => {
  const path = `/blocks/${facts.notable.busyBlockHash}?tags=meme&order=asc`;
  await page.goto(path);
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(path)}`);
  await expect(page).toHaveTitle("Sign in · Asset Query Service");
  const field = page.getByLabel("Access token", { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute("type", "password");

  await field.fill(facts.tokens.full);
  await field.press("Enter");
  await expect(page).toHaveURL(path);
  await expect(page.getByRole("table", { name: "Asset changes" })).toBeVisible();
});

test("the form says what this is in one sentence, before a picture that only sighted readers meet", async ({
  page,
}) => {
  await page.goto("/sign-in");
  const card = page.locator("#results");
  await expect(card.getByRole("heading", { level: 1 })).toHaveText("Sign in");
  await expect(
    card.getByText(
      /^The Asset Query Service shows what any address on .+ holds, and what each block moved\.$/,
    ),
  ).toBeVisible();
  const picture = page.getByRole("main").locator("[aria-hidden=true]").first();
  await expect(picture).toBeVisible();
  await expect(picture).toHaveText("");
  const [whole, front] = [(await picture.boundingBox())!, (await card.boundingBox())!];
  expect(whole.x).toBeLessThan(front.x);
  expect(whole.y).toBeLessThan(front.y);
  expect(whole.x + whole.width).toBeGreaterThan(front.x + front.width);
});

test("without a session, no page tells the name of an asset", async ({ page, context, facts }) => {
  const read = async (headers?: Record<string, string>) => {
    const path = `/assets/${facts.notable.knownToken}`;
    return (await page.request.get(path, { ...(headers && { headers }), maxRedirects: 0 })).text();
  };
  for (const headers of [undefined, { RSC: "1" }]) {
    expect(await read(headers)).not.toMatch(/TIDE|Tide Dollar/);
  }
  await signIn(context, "demo", facts.tokens.full);
  expect(await read()).toMatch(/Tide Dollar/);
});

test.describe("a refused token", () => {
  test.use({ failuresExpected: true });

  test("is reported, the field keeps the focus, and an unknown token looks like a malformed one", async ({
    page,
    facts,
  }) => {
    await page.goto("/sign-in");
    const field = page.getByLabel("Access token", { exact: true });
    const alert = page.getByRole("main").getByRole("alert");

    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(alert).toHaveText("Enter an access token.");

    for (const token of [`aqs_${"A".repeat(43)}`, "not a token"]) {
      await field.fill(token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(alert).toHaveText("Token not recognised.");
      await expect(field).toBeFocused();
      await expect(field).toHaveAttribute("aria-invalid", "true");
    }

    await field.fill(facts.tokens.expired);
    await field.press("Enter");
    await expect(alert).toContainText("This token has expired.");
    await expect(page).toHaveURL("/sign-in");
  });

  test("is not lost when the server cannot be reached", async ({ page, context, facts }) => {
    await page.goto("/sign-in");
    const field = page.getByLabel("Access token", { exact: true });
    await context.setOffline(true);
    await field.fill(facts.tokens.full);
    await field.press("Enter");
    await expect(page.getByRole("main").getByRole("alert")).toContainText("The server cannot be reached.");
    await expect(field).toHaveValue(facts.tokens.full);
    await context.setOffline(false);
    await field.press("Enter");
    await expect(page.getByRole("heading", { name: "Who holds what? What moved?" })).toBeVisible();
  });
});

test("the token can be made visible, and is accepted with spaces and its Bearer prefix", async ({
  page,
  facts,
}) => {
  await page.goto("/sign-in");
  const field = page.getByLabel("Access token", { exact: true });
  const show = page.getByRole("button", { name: "Show" });
  await show.click();
  await expect(field).toHaveAttribute("type", "text");
  await expect(show).toHaveAttribute("aria-pressed", "true");
  await show.click();
  await expect(field).toHaveAttribute("type", "password");
  await page.getByLabel("Access token", { exact: true }).fill(`  Bearer ${facts.tokens.full}  `);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { name: "Who holds what? What moved?" })).toBeVisible();
});

test("signing in leads to no other site, whatever the link says", async ({ context, facts }) => {
  const links = ["https://evil.example/", "/\\evil.example"];
  for (const next of links) {
    const page = await context.newPage();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await controlsAnswer(page);
    await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page, next).toHaveURL("/");
    await expect(page.getByRole("heading", { name: "Who holds what? What moved?" })).toBeVisible();
    // An open page polls the status, which would be refused without the session.
    await page.close();
    await context.clearCookies();
  }
});

test("the session is in a cookie that scripts cannot read, and signing out ends it", async ({
  page,
  context,
  facts,
}) => {
  await page.goto("/sign-in");
  const followed = page.waitForResponse("**/v0/events");
  await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Who holds what? What moved?" }).waitFor();
  await controlsAnswer(page);
  // The page follows the tip a second later. After signing out, that would be refused.
  await followed;

  const sessions = (await context.cookies()).filter(({ value }) => value.includes(facts.tokens.full));
  expect(sessions).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/" }]);
  const visible = await page.evaluate(() =>
    [
      document.cookie,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ].join(),
  );
  expect(visible).not.toContain(facts.tokens.full);

  await page.getByRole("button", { name: "Account" }).click();
  await expect(page.getByText("browser tests")).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  expect((await context.cookies()).filter(({ value }) => value.includes("aqs_"))).toEqual([]);
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the form signs in and reports a refused token, and no URL ever holds a token", async ({
    context,
    facts,
  }) => {
    const urls: string[] = [];
    context.on("request", (request) => urls.push(request.url()));
    // The `page` fixture would wait for scripts.
    const page = await context.newPage();
    const path = `/blocks/${facts.notable.busyBlockHash}?tags=meme&order=asc`;
    await page.goto(path);
    const field = page.getByLabel("Access token", { exact: true });
    const alert = page.getByRole("main").getByRole("alert");
    await expect(alert).toHaveCount(0);

    for (const [token, said] of [
      ["not-a-token", "Token not recognised."],
      [facts.tokens.expired, "This token has expired. Ask for a new one."],
    ] as const) {
      await field.fill(token);
      await field.press("Enter");
      await expect(alert).toHaveText(said);
      await expect(field).toHaveAttribute("aria-invalid", "true");
      await expect(field).toHaveValue("");
    }

    await field.fill(` Bearer ${facts.tokens.full}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Block/);
    expect(urls.length).toBeGreaterThan(6);
    expect(urls.filter((url) => /not-a-token|aqs_/.test(url))).toEqual([]);
  });
});

test.describe("a link on another site", () => {
  test.beforeEach(async ({ context, baseURL, facts }) => {
    // This test is about a request to another site.
    context.removeAllListeners("request");
    await context.route("http://elsewhere.example/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<a href="${baseURL}/blocks/${facts.notable.busyBlockHash}?page=2#13">A block</a>`,
      }),
    );
  });

  test("leads a signed-in reader to the page, and Back to the other site", async ({ context, facts }) => {
    await signIn(context, "demo", facts.tokens.full);
    const page = await context.newPage();
    await page.goto("http://elsewhere.example/");
    await page.getByRole("link", { name: "A block" }).click();
    await expect(page).toHaveURL(`/blocks/${facts.notable.busyBlockHash}?page=2#13`);
    await expect(page.getByRole("table", { name: "Asset changes" })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL("http://elsewhere.example/");
  });

  test("leads everyone else to the form, without an error", async ({ context }) => {
    const page = await context.newPage();
    await page.goto("http://elsewhere.example/");
    const answered = context.waitForEvent("response", (response) => response.url().endsWith("/session"));
    await page.getByRole("link", { name: "A block" }).click();
    await (await answered).finished();
    await controlsAnswer(page);
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    await expect(page.getByLabel("Access token", { exact: true })).toBeFocused();
    await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
  });
});
