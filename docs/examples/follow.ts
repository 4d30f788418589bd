// Prints each block that is added or reverted, from the tip on.
// A block with an unexpected parent shows a reorganisation: the program then reports blocks that are no longer
// canonical as reverted, and goes on from there. get() returns null for a block that is not canonical.

const { BASE, TOKEN } = process.env;
type Block = { height: number; hash: string; parent: string; total: number };
const sleep = (seconds: number) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function get(block: string | number): Promise<Block | null> {
  const url = `${BASE}/v0/blocks/${block}/asset-changes?pageSize=100`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  const { status, headers } = response;
  const [hash, parent] = [headers.get("X-Block-Hash") ?? "", headers.get("X-Parent-Hash") ?? ""];
  const height = Number(headers.get("X-Block-Height"));
  if (status === 200) return { height, hash, parent, total: (await response.json()).total };
  if (status === 404) return null;
  if (status !== 429 && status !== 503) throw new Error(await response.text());
  await sleep(Number(headers.get("Retry-After") ?? 1));
  return get(block);
}

const reported: Block[] = []; // oldest first
const start = (await get("tip"))?.height ?? 0;
for (;;) {
  let last = reported.at(-1);
  for (; last && !(await get(last.hash)); last = reported.at(-1)) {
    reported.pop();
    console.log(`reverted ${last.height} ${last.hash}`);
  }
  const next = await get(last ? last.height + 1 : start);
  if (!next) await sleep(2);
  else if (!last || next.parent === last.hash) {
    reported.push(next);
    console.log(`added ${next.height} ${next.hash} ${next.total} assets moved`);
  }
}
