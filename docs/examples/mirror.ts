// Keeps an exact copy of the unspent outputs of ADDRESS: walks the list once, then applies what each block changed,
// and undoes it if the block is reverted. Prints each block that the copy is as of, how many outputs there are, and
// their capacity. list() returns null if a block is not canonical: a later event says what replaced it.

const { BASE, TOKEN, ADDRESS } = process.env;
type Event = { type: string; hash: string | null; parentHash?: string };
type Change = { outPoint: string; capacity: string; change?: "created" | "spent" };
const sleep = (seconds: number) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function get(path: string, headers = {}): Promise<Response> {
  const response = await fetch(BASE + path, { headers: { ...headers, Authorization: `Bearer ${TOKEN}` } });
  if (response.ok || response.status === 404) return response;
  if (response.status !== 429 && response.status !== 503) throw new Error(await response.text());
  await sleep(Number(response.headers.get("Retry-After") ?? 1));
  return get(path, headers);
}
async function list(path: string): Promise<Change[] | null> {
  const response = await get(`/v0/addresses/${ADDRESS}/${path}`, { Accept: "application/x-ndjson" });
  if (response.status === 404) return null;
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Change); // the last line is a cursor
}

const outputs = new Map<string, Change>();
// The block that they are as of, null if that is not known; whether a later block changed the address.
let [at, touched]: [string | null, boolean] = [null, false];
const applied: { from: string; changes: Change[] }[] = []; // oldest first
const put = (o: Change, live: boolean) => (live ? outputs.set(o.outPoint, o) : outputs.delete(o.outPoint));

async function take({ type, hash, parentHash }: Event) {
  const head = type === "block-removed" ? parentHash : hash;
  touched ||= type === "address";
  if (type === "address" || !head) return;
  if (type === "start" || type === "reset") at = null;
  if (type === "block-removed" && at === hash) {
    const last = applied.pop();
    for (const one of last?.changes.toReversed() ?? []) put(one, one.change === "spent");
    at = last?.from ?? null;
  }
  if (type === "block" || at === null) {
    const path = at === null ? `utxos?at=${head}` : `changes?from=${at}&to=${head}`;
    const changes = touched || at === null ? await list(path) : [];
    if (!changes) return;
    if (at === null) outputs.clear();
    for (const one of changes) put(one, one.change !== "spent");
    applied.splice(0, at === null ? applied.length : applied.push({ from: at, changes }) - 1000);
    [at, touched] = [head, false];
  }
  const sum = outputs.values().reduce((total, { capacity }) => total + BigInt(capacity), 0n);
  console.log(`${at} ${outputs.size} ${sum}`);
}

for (let lastId = ""; ; await sleep(2)) {
  try {
    const { body } = await get(`/v0/events?address=${ADDRESS}`, lastId ? { "Last-Event-ID": lastId } : {});
    let text = "";
    for await (const part of body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split("\n\n");
      text = events.pop()!;
      for (const event of events) {
        const data = event.match(/^data: (.*)$/m)?.[1];
        if (data) await take(JSON.parse(data) as Event);
        lastId = event.match(/^id: (.*)$/m)?.[1] ?? lastId;
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the connection was cut
  }
}
