/** Compares every figure of random pages with the API, digit for digit, on the demo site and the mainnet site. */
import type { Locator, Page } from "@playwright/test";
import { recordedBlocksOf } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { formatUsd } from "#lib/client/format.ts";
import { UNNAMED_NFTS } from "#lib/client/holdings.ts";
import type { HoldingEntry } from "#lib/queries/address-holdings/contract.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import type { AssetEntry } from "#lib/queries/assets/contract.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { Draw } from "#lib/testing/random-requests.ts";
import { PRICE_DECIMALS, parseDecimal, USD_DECIMALS, valueInUsd } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { type Api, changes, drawAllRows, exactText, expect, holdings, outputs, test } from "../support.ts";

const SEED = Number(process.env.SEED ?? 26);
/** Minimum number of figures to compare on both sites together. */
const ENOUGH = 300;

type Cell = { text: string; title: string };
type Named = Parameters<typeof displayDecimals>[0];
type ShownOutput = Pick<UtxoEntry, "outPoint" | "amount" | "tokenInfo" | "valueUsd">;

const units = (usd: string | null | undefined) => parseDecimal(usd ?? "", USD_DECIMALS);
const sumOf = (values: (string | null | undefined)[]) =>
  values.reduce((sum, value) => sum + (units(value) ?? 0n), 0n);
const amountText = (amount: bigint | string, asset: Named) => exactText(amount, displayDecimals(asset) ?? 0);
/** A percentage with two decimals, rounded. */
const shareText = (part: bigint, whole: bigint, of: bigint | string = part) =>
  percentage((part * 20_000n + whole) / (2n * whole), part, whole, of);

/**
 * Percentages of a whole. The page has read the first `count` parts: with that of all others, their shares add up to 100 %. The
 * share of any other part is rounded alone.
 */
function sharesOf(parts: readonly (readonly [key: string, part: bigint])[], whole: bigint, count: number) {
  const known = parts.slice(0, count);
  const others = known.reduce((left, [, part]) => left - part, whole);
  const shares = new Map(
    [...known, ["", others] as const].map(([key, part]) => [key, (part * 10_000n) / whole]),
  );
  const missing = Number([...shares.values()].reduce((left, share) => left - share, 10_000n));
  const lost = ([key, part]: readonly [string, bigint]) => part * 10_000n - shares.get(key)! * whole;
  const byLoss = [...known, ["", others] as const].sort((one, two) =>
    lost(two) > lost(one) ? 1 : lost(two) < lost(one) ? -1 : 0,
  );
  for (const [key] of byLoss.slice(0, missing)) shares.set(key, shares.get(key)! + 1n);
  return (key: string, part: bigint, of: bigint | string = part) => {
    const hundredths = shares.get(key);
    return hundredths === undefined ? shareText(part, whole, of) : percentage(hundredths, part, whole, of);
  };
}

const percentage = (hundredths: bigint, part: bigint, whole: bigint, of: bigint | string) => {
  if (hundredths === 0n && BigInt(of) > 0n) return "< 0.01 %";
  if (hundredths === 10_000n && part < whole) return "> 99.99 %";
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, "0")} %`;
};

/** The rows of a table by their ids, each with its cells by column heading. */
async function rowsOf(table: Locator, count = 1): Promise<Map<string, Record<string, Cell>>> {
  await expect(table.locator("tr[data-id]").first()).toBeVisible();
  await drawAllRows(table.page());
  // A page's later rows are drawn after its first ones.
  await expect.poll(() => table.locator("tr[data-id]").count()).toBeGreaterThanOrEqual(count);
  const rows = await table.evaluate((element) => {
    const text = (node: Element) => (node.textContent ?? "").replace(/\s+/g, " ").trim();
    const headings = [...element.querySelectorAll('[role="columnheader"]')].map(text);
    return [...element.querySelectorAll<HTMLElement>("tr[data-id]")].map(
      (row): [string, [string, Cell][]] => [
        row.dataset.id ?? "",
        [...row.querySelectorAll(':scope > [role="cell"]')].map((cell, at) => [
          headings[at] ?? "",
          { text: text(cell), title: cell.querySelector("[title]")?.getAttribute("title") ?? "" },
        ]),
      ],
    );
  });
  return new Map(rows.map(([id, cells]) => [id, Object.fromEntries(cells)]));
}

class Truth {
  readonly #page: Page;
  readonly #api: Api;
  readonly #draw = new Draw(SEED);
  readonly faults: string[] = [];
  compared = 0;

  constructor(page: Page, api: Api) {
    this.#page = page;
    this.#api = api;
  }

  pick<T>(count: number, items: readonly T[]): T[] {
    const left = [...items];
    return this.#draw.times(
      Math.min(count, left.length),
      () => left.splice(this.#draw.below(left.length), 1)[0]!,
    );
  }

  #is(what: string, shown: string | null | undefined, wanted: string) {
    this.compared += 1;
    if (shown !== wanted) this.faults.push(`${this.#page.url()} ${what}: ${shown} instead of ${wanted}`);
  }

  /** The number before its unit: the whole in the title, if the text is cut. */
  #amount(what: string, cell: Cell | undefined, amount: bigint | string, asset: Named) {
    this.#is(what, (cell?.title || cell?.text)?.split(" ")[0], amountText(amount, asset));
  }

  #usd(what: string, cell: Cell | undefined, value: bigint | null, of: bigint | string) {
    const { text, exact } = value === null ? { text: "—", exact: null } : formatUsd(value, of);
    this.#is(what, cell?.text.replace(" no price", ""), text);
    if (exact !== null) this.#is(`${what}, exactly`, cell?.title, exact);
  }

  /** Whether each unit of an asset is an output of its own, whose number is its amount. */
  async #isNft(id: string): Promise<boolean> {
    const { standard } = await this.#api.get<AssetEntry>(`/v0/assets/${id}`);
    return terms.outputKind(standard)?.unique !== undefined;
  }

  async address(address: string) {
    const page = this.#page;
    const all = await this.#api.holdings(address, { pageSize: "1000" });
    const whole = sumOf(all.result.map(({ valueUsd }) => valueUsd));
    const parts = all.result.map(({ token, valueUsd }) => [token, units(valueUsd) ?? 0n] as const);
    const shareOf = sharesOf(parts, whole || 1n, 100);
    const utxos = await this.#api.utxos(address, { pageSize: "100", value: "usd" });
    await page.goto(`/addresses/${address}?flagged=show&span=all`);
    if (whole > 0n) {
      const figure = page.getByRole("button", { name: /^Estimated value, US dollars/ });
      this.#is("value", await figure.locator("[title]").getAttribute("title"), formatUsd(whole).exact);
      const largest = page.getByRole("list", { name: "The largest holdings" }).getByRole("listitem");
      // The others link to the holdings.
      for (const part of await largest.filter({ has: page.locator("a[href*='token=']") }).all()) {
        const id = /token=(\w+)/.exec((await part.getByRole("link").getAttribute("href"))!)?.[1];
        const value = units(all.result.find(({ token }) => token === id)?.valueUsd) ?? 0n;
        const [, worth = "", share = ""] = /: (\S+) · ([\d.]+) %$/.exec((await part.textContent())!) ?? [];
        this.#is("worth of a part", worth, formatUsd(value).text);
        this.#is("share", `${share} %`, shareOf(id!, value));
      }
      const points = page.getByRole("list", { name: "Value in US dollars, by block" }).getByRole("listitem");
      for (const point of this.pick(3, (await points.allTextContents()).slice(1))) {
        const [, height = "", text] = /block ([\d,]+).*?(\$.*|No price)$/.exec(point) ?? [];
        const at = await this.#api.holdings(address, { at: height.replaceAll(",", ""), pageSize: "1000" });
        const then = sumOf(at.result.map(({ valueUsd }) => valueUsd));
        this.#is(`chart at ${height}`, text === "No price" ? "$0.00" : text, formatUsd(then).text);
      }
    }
    if (utxos.result.length === 0) return;
    const rows = await this.#outputs(outputs(page), utxos.result);
    for (const { outPoint, blockHeight } of utxos.result)
      this.#is(`block of ${outPoint}`, rows.get(outPoint)?.Block?.text, exactText(BigInt(blockHeight), 0));
    await page.goto(`/addresses/${address}?flagged=show&tab=holdings`);
    for (const [id, row] of await rowsOf(holdings(page))) {
      const held = all.result.find(({ token }) => token === id);
      if (!held) continue;
      const value = units(held.valueUsd);
      // The NFTs of a collection share the row of one of them, which names the collection. So do those without a name.
      const isUnnamed = row.Token?.text.includes(UNNAMED_NFTS);
      const members: HoldingEntry[] = [];
      for (const each of all.result) {
        const { parentId, name, symbol } = each.tokenInfo;
        const belongs = isUnnamed ? parentId + name + symbol === "" : parentId === row.Token?.title;
        if (belongs && (await this.#isNft(each.token))) members.push(each);
      }
      const shown = members.includes(held) ? members : [held];
      const sum = (of: "amount" | "outputCount") => shown.reduce((sum, each) => sum + BigInt(each[of]), 0n);
      this.#amount(`held of ${id}`, row.Amount, sum("amount"), held.tokenInfo);
      const isCounted = (await this.#isNft(id)) && sum("amount") === sum("outputCount");
      this.#is(
        `cells of ${id}`,
        row.Cells?.text.split(" ")[0],
        isCounted ? "" : exactText(sum("outputCount"), 0),
      );
      if (!row.Share) continue;
      this.#usd(`value of ${id}`, row.Value, value, held.amount);
      this.#is(`share of ${id}`, row.Share.text, value === null ? "—" : shareOf(id, value, held.amount));
    }
  }

  async #outputs(table: Locator, entries: ShownOutput[]) {
    const rows = await rowsOf(table, entries.length);
    for (const { outPoint, amount, tokenInfo, valueUsd } of entries) {
      const row = rows.get(outPoint);
      this.#amount(`amount of ${outPoint}`, row?.Amount, amount, tokenInfo);
      if (row?.Value) this.#usd(`value of ${outPoint}`, row.Value, units(valueUsd), amount);
    }
    return rows;
  }

  async transaction(hash: string) {
    const search = "?pageSize=100&value=usd";
    const { result } = await this.#api.get<{ result: ShownOutput[] }>(
      `/v0/transactions/${hash}/outputs${search}`,
    );
    await this.#page.goto(`/transactions/${hash}?tab=outputs`);
    await this.#outputs(this.#page.getByRole("table", { name: "Outputs" }), result);
  }

  /** Checks the outputs of a wallet, up to 100. */
  async wallet(addresses: string[]) {
    const search = new URLSearchParams(addresses.map((address) => ["address", address]));
    const { result } = await this.#api.get<{ result: ShownOutput[] }>(
      `/v0/utxos?${search}&pageSize=100&value=usd`,
    );
    await this.#page.goto(`/wallet?${search}&flagged=show`);
    await this.#outputs(outputs(this.#page), result);
  }

  /** Checks a list of asset changes, with and without a tag filter. */
  async changes(path: string, read: (query: Record<string, string>) => Promise<{ result: AssetChange[] }>) {
    const sum = (entries: AssetChange[]) => sumOf(entries.map(({ amountUsd }) => amountUsd));
    const { result } = await read({ pageSize: "100" });
    const byVolume = (await read({ pageSize: "100", orderKey: "volume" })).result;
    const whole = sum(byVolume);
    const parts = byVolume.map(({ asset, amountUsd }) => [asset.id, units(amountUsd) ?? 0n] as const);
    const shareOf = sharesOf(parts, whole || 1n, 25);
    await this.#page.goto(`${path}flagged=show&order=chain&size=100`);
    if (result.length === 0) return;
    const rows = await rowsOf(changes(this.#page), result.length);
    for (const { asset, amount, amountUsd } of result) {
      const row = rows.get(asset.id);
      const value = amountUsd === "0" ? null : units(amountUsd);
      this.#amount(`moved of ${asset.id}`, row?.["Amount moved"], amount, asset);
      if (row?.Volume) this.#usd(`volume of ${asset.id}`, row.Volume, value, amount);
      if (row?.Share && value !== null && result.length < 100) {
        this.#is(`share of ${asset.id}`, row.Share.text, shareOf(asset.id, value));
      }
    }
    const [tag] = this.pick(1, [...new Set(result.flatMap(({ tags }) => tags))]);
    if (tag === undefined || whole === 0n || result.length === 100) return;
    const tagged = (await read({ pageSize: "100", tags: tag })).result;
    await this.#page.goto(`${path}tags=${encodeURIComponent(tag)}`);
    const said = this.#page.getByRole("status").filter({ hasText: `tagged ${tag} · $` });
    const part = sum(tagged);
    const what = `${tagged.length} asset${tagged.length === 1 ? "" : "s"} tagged ${tag}`;
    this.#is(
      "subtotal",
      await said.textContent(),
      `${what} · ${formatUsd(part).text} · ${shareText(part, whole)} of the ${path.includes("range") ? "range" : "block"}`,
    );
  }

  block(hash: string) {
    return this.changes(`/blocks/${hash}?`, (query) => this.#api.changes(hash, query));
  }

  range(from: number, to: number) {
    const between = { from: String(from), to: String(to) };
    return this.changes(`/blocks/range?from=${from}&to=${to}&`, (query) =>
      this.#api.rangeChanges({ ...between, ...query }),
    );
  }

  async holders(id: string): Promise<string[]> {
    const { tokenInfo: asset, priceUsd } = await this.#api.get<AssetEntry>(`/v0/assets/${id}`);
    const { result } = await this.#api.get<{ result: Holder[] }>(`/v0/assets/${id}/holders?pageSize=100`);
    await this.#page.goto(`/assets/${id}`);
    const rows = await rowsOf(this.#page.getByRole("table", { name: "Holders" }), result.length);
    const price = parseDecimal(priceUsd, PRICE_DECIMALS);
    const parts = result.map(({ address, amount }) => [address, BigInt(amount)] as const);
    const shareOf = sharesOf(parts, BigInt(asset.totalSupply), 100);
    for (const { address, amount } of result) {
      const row = rows.get(address);
      this.#amount(`held by ${address}`, row?.Amount, amount, asset);
      this.#is(`share of ${address}`, row?.Share?.text, shareOf(address, BigInt(amount)));
      if (!row?.Value || price === null) continue;
      this.#usd(`value of ${address}`, row.Value, valueInUsd(BigInt(amount), asset.decimals, price), amount);
    }
    return result.map(({ address }) => address);
  }

  end(enough: number) {
    console.log(`seed ${SEED}: ${this.compared} figures compared`);
    expect(this.faults).toEqual([]);
    expect(this.compared).toBeGreaterThan(enough);
  }
}

test("what the demo's pages state is what the API returns", async ({ page, api, facts }) => {
  const truth = new Truth(page, api);
  const { busyAddress, smallAddress, saverAddress, lookAlikeAddress, hostileAddress } = facts.notable;
  const fixed = [busyAddress!, smallAddress!, saverAddress!, lookAlikeAddress!, hostileAddress!];
  const { result } = await api.holdings(busyAddress!, { pageSize: "100" });
  const held = result.filter(({ tokenInfo }) => tokenInfo.symbol !== "").map(({ token }) => token);
  const holders: string[] = [];
  for (const id of truth.pick(4, held)) holders.push(...(await truth.holders(id)));
  for (const address of [...fixed, facts.middling.address, ...truth.pick(2, holders)])
    await truth.address(address);
  for (const address of [smallAddress!, saverAddress!, hostileAddress!]) {
    const { result } = await api.utxos(address, { pageSize: "1" });
    await truth.transaction(result[0]!.outPoint.split(":")[0]!);
  }
  await truth.wallet([saverAddress!, smallAddress!]);
  const heights = Array.from({ length: 1000 }, (_, height) => height);
  for (const height of truth.pick(4, heights)) await truth.block(String(height));
  await truth.block(facts.notable.busyBlockHash!);
  for (const from of truth.pick(2, heights.slice(0, 900))) await truth.range(from, from + 60);
  truth.end(ENOUGH);
});

test.describe("mainnet", () => {
  test.use({ site: "mainnet" });

  test("what its pages state is what the API returns", async ({ page, api }) => {
    const truth = new Truth(page, api);
    for (const { hash } of truth.pick(3, recordedBlocksOf("mainnet"))) {
      await truth.block(hash);
      const { result } = await api.changes(hash, { pageSize: "100" });
      for (const { asset } of truth.pick(2, result)) {
        for (const address of truth.pick(2, await truth.holders(asset.id))) await truth.address(address);
      }
    }
    truth.end(100);
  });
});
