import { toUnits } from "#lib/util/amounts.ts";
import { plain, untrusted } from "../model-text.ts";
import type { RangeAssetChange } from "../range-asset-changes/contract.ts";
import { curl, type KnownData, type Reference } from "../reference.ts";
import { type AssetChange, contract } from "./contract.ts";

/** Values for the filters that asset changes of a block and of a range share. */
export const filtersExample = ({ assetName, tag }: KnownData) => ({
  assetName,
  search: "0x",
  tags: [tag],
  orderKey: "volume",
  orderDirection: "desc",
  page: 1,
  pageSize: 2,
});

/** The most tags of an asset to show to a model. */
const MAX_TAGS = 32;

export const reference: Reference<typeof contract> = {
  section: "changes",
  title: "Asset changes",
  query: { orderKey: "volume", pageSize: "2" },
  samples: (origin, path) => [
    curl(
      `${origin}${path}?orderKey=volume&pageSize=10`,
      "The ten largest by value. amountExact has all digits of amount.",
    ),
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
  ],

  example: {
    parameters: (known) => ({ blockHash: known.blockHash, ...filtersExample(known) }),
    more: () => ({ include: ["kind"] }),
  },

  usage: `${contract.summary}. \`page\` 2 and up continue while fewer than \`total\` were returned.`,

  forModel,
};

/** An entry about a block, or about a range of blocks. */
type Entry = AssetChange & Partial<RangeAssetChange>;

export function forModel({ result, total }: { result: Entry[]; total: number }) {
  return {
    result: result.map(({ asset, tags, amountExact, amountUsdExact, blocks, transactions }) => ({
      asset: asset.id,
      amount: amountExact,
      amountInUnits: toUnits(amountExact, asset.decimals),
      amountUsd: amountUsdExact,
      decimals: asset.decimals,
      untrusted: { ...untrusted(asset), tags: tags.slice(0, MAX_TAGS).map(plain) },
      blocks,
      transactions,
    })),
    total,
  };
}
