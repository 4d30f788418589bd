/** Whole programs for the API reference: each reads all pages, honours `Retry-After`, and keeps every digit. */
import type { OperationName } from "#lib/contract/endpoints.ts";

export interface Sample {
  language: "cURL" | "JavaScript" | "Python";
  code: string;
}

function utxoSamples(origin: string, path: string): Sample[] {
  return [
    {
      language: "cURL",
      code: `# One page. Pass lastCursor as cursor until hasNext is false.
curl -H "Authorization: Bearer $TOKEN" \\
  '${origin}${path}?pageSize=1000'`,
    },
    {
      language: "JavaScript",
      code: `// node walk.mjs: every unspent output, one JSON object a line.
const url = new URL("${origin}${path}?pageSize=1000");
for (;;) {
  const response = await fetch(url, { headers: { Authorization: \`Bearer \${process.env.TOKEN}\` } });
  if (response.status === 429 || response.status === 503) {
    await new Promise((done) => setTimeout(done, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
    continue;
  }
  if (!response.ok) throw new Error(await response.text());
  const { result, hasNext, lastCursor } = await response.json();
  for (const utxo of result) {
    const amount = BigInt(utxo.amount); // smallest unit: divide by 10 ** utxo.tokenInfo.decimals to show it
    console.log(JSON.stringify({ outPoint: utxo.outPoint, token: utxo.token, amount: amount.toString() }));
  }
  if (!hasNext) break;
  url.searchParams.set("cursor", lastCursor);
}`,
    },
    {
      language: "Python",
      code: `# python3 walk.py: every unspent output, one JSON object a line.
import json, os, time, urllib.error, urllib.parse, urllib.request

url = "${origin}${path}"
query = {"pageSize": "1000"}
while True:
    request = urllib.request.Request(url + "?" + urllib.parse.urlencode(query),
                                     headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    try:
        page = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise
        time.sleep(int(error.headers.get("Retry-After", "1")))
        continue
    for utxo in page["result"]:
        print(json.dumps({"outPoint": utxo["outPoint"], "token": utxo["token"], "amount": utxo["amount"]}))
    if not page["hasNext"]:
        break
    query["cursor"] = page["lastCursor"]`,
    },
  ];
}

function assetChangeSamples(origin: string, path: string): Sample[] {
  return [
    {
      language: "cURL",
      code: `# The ten largest by value. amountExact has all digits of amount.
curl -H "Authorization: Bearer $TOKEN" \\
  '${origin}${path}?orderKey=volume&pageSize=10'`,
    },
    {
      language: "JavaScript",
      code: `// node changes.mjs: what the block moved, largest value first.
const url = new URL("${origin}${path}?orderKey=volume&pageSize=100");
for (let page = 1, seen = 0; ; ) {
  url.searchParams.set("page", String(page));
  const response = await fetch(url, { headers: { Authorization: \`Bearer \${process.env.TOKEN}\` } });
  if (response.status === 429 || response.status === 503) {
    await new Promise((done) => setTimeout(done, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
    continue;
  }
  if (!response.ok) throw new Error(await response.text());
  const { result, total } = await response.json();
  for (const { asset, amountExact } of result) console.log(asset.id, amountExact);
  seen += result.length;
  page += 1;
  if (seen >= total || result.length === 0) break;
}`,
    },
    {
      language: "Python",
      code: `# python3 changes.py: what the block moved, largest value first.
import json, os, time, urllib.error, urllib.parse, urllib.request

url = "${origin}${path}"
page, seen = 1, 0
while True:
    query = urllib.parse.urlencode({"orderKey": "volume", "pageSize": "100", "page": page})
    request = urllib.request.Request(url + "?" + query,
                                     headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    try:
        answer = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise
        time.sleep(int(error.headers.get("Retry-After", "1")))
        continue
    for change in answer["result"]:
        print(change["asset"]["id"], change["amountExact"])
    seen += len(answer["result"])
    page += 1
    if seen >= answer["total"] or not answer["result"]:
        break`,
    },
  ];
}

/** `path` has its parameters filled in. The programs read the access token from the environment variable `TOKEN`. */
export const samples: Record<OperationName, (origin: string, path: string) => Sample[]> = {
  addressUtxos: utxoSamples,
  blockAssetChanges: assetChangeSamples,
};
