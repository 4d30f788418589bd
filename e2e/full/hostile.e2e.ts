import { changes, dataRows, expect, outputs, test } from "../support.ts";

for (const width of [640, 700, 768, 900, 1024, 1199]) {
  test(`at ${width} px warnings are shown in full, and nothing overflows its cell`, async ({
    page,
    facts,
    api,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const { hostileAddress, lookAlikeAddress, busyAddress, busyBlockHash, hugeBlockHash } = facts.notable;
    const [entry] = (await api.utxos(lookAlikeAddress!)).result;
    for (const path of [
      `/addresses/${hostileAddress}?flagged=show`,
      `/addresses/${lookAlikeAddress}?flagged=show`,
      `/addresses/${busyAddress}`,
      `/blocks/${entry!.blockHeight}?flagged=show&size=100`,
      `/blocks/${busyBlockHash}?flagged=show&size=100`,
      `/blocks/${hugeBlockHash}?flagged=show&size=100`,
    ]) {
      await page.goto(path);
      const table = path.startsWith("/blocks") ? changes(page) : outputs(page);
      await expect(dataRows(table).first()).toBeVisible();
      expect(await table.evaluate(faultsOfCells), path).toEqual([]);
    }
  });
}

/** Finds texts that overflow their cell, and warnings that are cut off. Names and hashes may be cut off. */
function faultsOfCells(table: Element): string[] {
  const faults = new Set<string>();
  const range = document.createRange();
  for (const cell of table.querySelectorAll("tr[data-id] > td")) {
    const { left, right } = cell.getBoundingClientRect();
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      range.selectNodeContents(text);
      // The nearest element that cuts the text off, if any.
      let clip = text.parentElement;
      while (clip && clip !== cell && getComputedStyle(clip).overflow === "visible")
        clip = clip.parentElement;
      if (clip === cell) clip = null;
      const warning = text.parentElement?.closest("[data-flag]");
      for (const box of clip && !warning ? clip.getClientRects() : range.getClientRects()) {
        const out = Math.max(left - box.left, box.right - right);
        if (box.width > 0 && out > 0.5) faults.add(`${text.textContent} is ${Math.round(out)} px out`);
      }
      if (warning && clip && clip.scrollWidth > clip.clientWidth) faults.add(`${text.textContent} is cut`);
    }
  }
  return [...faults];
}
