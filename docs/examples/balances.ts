// Prints what ADDRESS holds: a line for each token, with the sum of its outputs in the smallest unit.
// A walk may repeat an output after a reorganisation, so outputs are kept by out point.

const { BASE, TOKEN, ADDRESS } = process.env;
type Output = { outPoint: string; token: string; amount: string };
type Page = { result: Output[]; hasNext: boolean; lastCursor: string };

async function get(cursor: string): Promise<Page> {
  const url = `${BASE}/v0/addresses/${ADDRESS}/utxos?pageSize=1000&cursor=${cursor}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  if (response.ok) return response.json();
  if (response.status !== 429 && response.status !== 503) throw new Error(await response.text());
  await new Promise((done) => setTimeout(done, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
  return get(cursor);
}

const outputs = new Map<string, Output>();
for (let cursor = ""; ; ) {
  const { result, hasNext, lastCursor } = await get(cursor);
  for (const output of result) outputs.set(output.outPoint, output);
  if (!hasNext) break;
  cursor = lastCursor;
}
const balances = new Map<string, bigint>();
for (const { token, amount } of outputs.values())
  balances.set(token, (balances.get(token) ?? 0n) + BigInt(amount));
for (const [token, amount] of balances) console.log(`${token} ${amount}`);
