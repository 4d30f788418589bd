import {
  changes,
  columnOf,
  dataRows,
  drawAllRows,
  expect,
  newToken,
  openTab,
  outputs,
  signIn,
  test,
  withoutAutoLoad,
} from "./support.ts";

const list = "**/v0/addresses/**";

test("the document contains the first rows", async ({ page, facts }) => {
  await page.route(list, (route) => route.abort());
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
});

for (const name of ["unseenAddress", "emptiedAddress"] as const) {
  test(`an address that holds nothing says so calmly: ${name}`, async ({ page, facts }) => {
    await page.goto(`/addresses/${facts.notable[name]}`);
    await expect(page.getByText("No live cells", { exact: true })).toBeVisible();
    await expect(page.getByText(/no unspent outputs as of block [\d,]+/)).toBeVisible();
    await expect(outputs(page)).toHaveCount(0);
    await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
    await expect(page.getByText(/End of list/)).toHaveCount(0);
  });
}

test.describe("a page that is not there", () => {
  test.use({ failuresExpected: true });
  test("text that is not an address of this chain is reported as such, not as an empty address", async ({
    page,
    facts,
  }) => {
    const good = facts.notable.smallAddress!;
    const last = good.endsWith("q") ? "p" : "q";
    for (const [text, fault] of [
      [`${good.slice(0, -1)}${last}`, /checksum/i],
      ["ckt1qqqq", /./],
      ["ckb1qyqdmeuqrsrnm7e5vnrmruzmsp4m9wacf6vsxasryq", /mainnet|testnet/i],
    ] as const) {
      expect((await page.goto(`/addresses/${text}`))?.status(), text).toBe(404);
      await expect(
        page.getByRole("heading", { name: "Not a valid address of this chain" }),
        text,
      ).toBeVisible();
      await expect(page.getByRole("main").getByText(fault).first()).toBeVisible();
      await expect(page.getByText("No live cells")).toHaveCount(0);
    }
  });
});

test("an end beside a past state is dropped", async ({ page, facts }) => {
  const path = `/addresses/${facts.notable.smallAddress}`;
  await page.goto(`${path}?tab=statement&at=600&to=900`);
  await expect(page).toHaveURL(`${path}?tab=statement&at=600`);
});

test("a past block's page is of that block throughout, and leads back to now", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress, replacedBlockHash } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?at=500`);
  const bar = page.getByRole("status").filter({ hasText: "As of block 500," });
  await expect(bar).toBeVisible();
  const then = await api.utxos(busyAddress!, { at: "500", value: "usd", pageSize: "100" });
  await drawAllRows(page);
  await expect
    .poll(() => columnOf(outputs(page), "Out point"))
    .toEqual(then.result.map(({ outPoint }) => outPoint));
  await openTab(page, /^Holdings/, "Holdings");
  await expect(page.getByText(/, as of block 500$/)).toBeVisible();
  await bar.getByRole("link", { name: "Back to now" }).click();
  await expect(page).not.toHaveURL(/at=/);
  await expect(bar).toHaveCount(0);
  await page.getByRole("button", { name: /^as of block 1,000$/ }).click();
  await page.getByRole("textbox", { name: "Block number, hash or date" }).fill("500");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(bar).toBeVisible();
  await expect(page.getByRole("region", { name: "Holdings" })).toBeVisible();

  for (const at of ["5000", "\u{1F600}"]) {
    await page.goto(`/addresses/${busyAddress}?at=${at}`);
    await expect(page.getByText("Block not found")).toBeVisible();
    await expect(dataRows(outputs(page)).first()).toBeVisible();
  }
  for (const [state, shown] of [
    [`at=${replacedBlockHash}`, "This page shows the current state."],
    [`tab=statement&since=${replacedBlockHash}`, "The statement begins after the fork."],
  ]) {
    await page.goto(`/addresses/${busyAddress}?${state}`);
    await expect(page.getByText(/^Block [\d,]+ was replaced$/)).toBeVisible();
    await expect(page.getByText(shown!)).toBeVisible();
  }
  await page.goto(`/addresses/${busyAddress}?tab=statement&to=${replacedBlockHash}`);
  await expect(
    page.getByText(/^The range ends with block [\d,]+, which a reorganisation replaced\.$/),
  ).toBeVisible();
  for (const [range, reason] of [
    ["tab=changes&since=1970-01-01", "All indexed blocks are later."],
    ["tab=statement&to=1970-01-01", "All indexed blocks are later."],
    ["tab=statement&since=2099-01-01", "No indexed block is later."],
    ["tab=statement&since=2099-01-01&to=2099-01-02", "No indexed block is between these two."],
  ]) {
    await page.goto(`/addresses/${busyAddress}?${range}`);
    await expect(page.getByText(reason!)).toBeVisible();
  }
  await page.goto(`/addresses/${busyAddress}?tab=statement&since=5000`);
  await expect(page.getByText(/Block 5,000 is not indexed yet: the newest is 1,0\d\d\./)).toBeVisible();
  await page.goto(`/assets/0x80000135?at=1970-01-01`);
  await expect(page.getByText(/^No indexed block has this number/)).toBeVisible();
  await page.goto(`/assets/0x80000135?at=${replacedBlockHash}`);
  await expect(page.getByText(/^A reorganisation replaced this block, number [\d,]+\./)).toBeVisible();
});

test.describe("when a later page fails", () => {
  test.use({ failuresExpected: true });

  test("an expired session is renewed in place, and the list continues", async ({
    page,
    context,
    site,
    facts,
  }) => {
    const { address, cells } = facts.middling;
    const { token, revoke } = await newToken(site, "revoked while reading");
    await signIn(context, site, token);
    await withoutAutoLoad(page);
    await page.goto(`/addresses/${address}`);
    const table = outputs(page);
    await expect(page.getByText(`100 of ${cells} loaded`)).toBeVisible();

    await revoke();
    await page.getByRole("button", { name: "Load next 100" }).click();
    const alert = table.getByRole("alert").first();
    await expect(alert).toContainText("session expired");
    await expect(page.getByText(`100 of ${cells} loaded`)).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/addresses/${address}`));

    await alert.getByLabel("Access token", { exact: true }).fill(token);
    await alert.getByRole("button", { name: "Sign in" }).click();
    await expect(alert).toContainText("This token has been revoked.");
    await alert.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
    await alert.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
    await expect(page.getByText(/session expired/i)).toHaveCount(0);
  });
});

test.describe("with a token for outputs only", () => {
  test.use({ access: "utxosOnly" });

  test("the address opens, and the block says which scope is missing", async ({ page, facts }) => {
    await page.goto(`/addresses/${facts.notable.smallAddress}`);
    await expect(dataRows(outputs(page))).toHaveCount(3);
    // Blocks are named, but no link leads to a page that stays closed.
    await expect(outputs(page)).toContainText(/\d/);
    await expect(page.locator('a[href^="/blocks/"]')).toHaveCount(0);
    await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
    await expect(page.getByRole("heading", { name: "Not allowed" })).toBeVisible();
    await expect(page.getByText("asset-changes:read")).toBeVisible();
    await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(dataRows(changes(page))).toHaveCount(25);
  });
});
