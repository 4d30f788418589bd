import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { dataRows, expect, expectAccessible, expectNoSidewaysScroll, outputs, test } from "./support.ts";

test("an out point leads to its transaction, drawn and marked, and from there to the spender", async ({
  page,
  api,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const link = dataRows(outputs(page)).first().locator("a[href^='/transactions/']");
  const [path = "", index = ""] = (await link.getAttribute("href"))!.split("#");
  await link.click();
  await expect(page).toHaveURL(`${path}#${index}`);
  const marked = page.locator("li[aria-current=true]");
  await expect(marked).toContainText(`#${index}`);
  await expect(marked).toBeInViewport();
  await expect(marked).toContainText("unspent");

  // Its first input links to the output that it spends, which names its spender: this transaction.
  const { result } = await api.get<{ result: OutputEntry[] }>(`/v0${path}/inputs`);
  await page
    .locator(`li a[href='/transactions/${result[0]!.outPoint.replace(":", "#")}']`)
    .first()
    .click();
  await expect(marked).toContainText(/spent in block/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await marked.getByRole("link", { name: /^spent in block/ }).click();
  await expect(page).toHaveURL(path);
});
