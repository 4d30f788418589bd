// Prints the five assets that the last 10 blocks moved most of, with the sum in US dollars.
// X-Parent-Hash leads to the block before.

const { BASE, TOKEN } = process.env;
type Page = { result: { asset: { id: string }; amountUsdExact: string }[] };

async function get(block: string, page: number): Promise<Response> {
  const url = `${BASE}/v0/blocks/${block}/asset-changes?pageSize=100&page=${page}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  if (response.ok) return response;
  if (response.status !== 429 && response.status !== 503) throw new Error(await response.text());
  await new Promise((done) => setTimeout(done, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
  return get(block, page);
}

const volume = new Map<string, bigint>(); // in units of 10^-8 US dollars
let block = "tip";
for (let count = 0, height = 1; count < 10 && height > 0; count++) {
  let parent = "";
  for (let page = 1, more = true; more; page++) {
    const response = await get(block, page);
    const { result }: Page = await response.json();
    for (const { asset, amountUsdExact } of result) {
      const [whole = "", fraction = ""] = amountUsdExact.split(".");
      volume.set(asset.id, (volume.get(asset.id) ?? 0n) + BigInt(whole + fraction.padEnd(8, "0")));
    }
    more = result.length === 100;
    block = response.headers.get("X-Block-Hash") ?? ""; // later pages are of the same block
    parent = response.headers.get("X-Parent-Hash") ?? "";
    height = Number(response.headers.get("X-Block-Height"));
  }
  block = parent;
}
for (const [id, usd] of [...volume].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, 5))
  console.log(`${id} ${usd / 10n ** 8n}.${String(usd % 10n ** 8n).padStart(8, "0")}`);
