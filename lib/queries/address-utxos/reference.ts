import type { TokenInfo } from "#lib/contract/operation.ts";
import { toUnits } from "#lib/util/amounts.ts";
import type { AddressChange } from "../address-changes/contract.ts";
import { plain, untrusted } from "../model-text.ts";
import { curl, type Reference } from "../reference.ts";
import { contract, type UtxoEntry, type UtxoList } from "./contract.ts";

/** Texts by the issuer and the registry, for a model. */
export const tokenTexts = (info: TokenInfo) => ({
  ...untrusted(info),
  parentId: plain(info.parentId),
  description: plain(info.description),
  keywords: plain(info.keywords),
});

/** Describes each token of a page once, for a model. */
export function tokensForModel(rows: readonly { tokenInfo: TokenInfo }[]) {
  const assets = new Map(rows.map(({ tokenInfo }) => [tokenInfo.id, tokenInfo]));
  return [...assets.values()].map((info) => ({
    id: info.id,
    layer: info.layer,
    decimals: info.decimals,
    totalSupply: info.totalSupply,
    isInRegistry: info.public,
    firstMintAt: info.firstMintAt,
    untrusted: tokenTexts(info),
  }));
}

/** An entry of any list of outputs. */
type Entry = Omit<UtxoEntry, "blockHeight"> & { blockHeight: number | null } & Partial<
    Pick<AddressChange, "change" | "changeHeight" | "changeTransaction"> & {
      address: string;
      spent: object | null;
    }
  >;

export const outputForModel = ({
  outPoint,
  blockHeight,
  token,
  tokenInfo,
  amount,
  capacity,
  ...row
}: Entry) => ({
  // JSON leaves out the fields that are undefined because the list or the request lacks them.
  address: row.address,
  change: row.change,
  changeHeight: row.changeHeight,
  changeTransaction: row.changeTransaction,
  outPoint,
  blockHeight,
  spent: row.spent,
  token,
  amount,
  amountInUnits: amount && toUnits(amount, tokenInfo.decimals),
  capacity,
  kind: row.kind,
  until: row.until,
  compensation: row.compensation,
  blockTime: row.blockTime,
  priceUsd: row.priceUsd,
  valueUsd: row.valueUsd,
});

export function forModel({ result, hasNext, lastCursor }: Omit<UtxoList, "result"> & { result: Entry[] }) {
  return {
    result: result.map(outputForModel),
    tokens: tokensForModel(result),
    hasNext,
    lastCursor,
  };
}

export const reference: Reference<typeof contract> = {
  section: "utxos",
  title: "Unspent outputs",
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(`${origin}${path}?pageSize=1000`, "One page. Pass lastCursor as cursor until hasNext is false."),
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
  ],

  example: {
    parameters: ({ address }) => ({ address, pageSize: 2, order: "asc" }),
    more: ({ result, lastCursor }) => ({
      cursor: lastCursor,
      after: result.at(-1)!.outPoint,
      token: result.at(-1)!.token,
      include: ["kind", "time"],
      value: "usd",
      at: String(result.at(-1)!.blockHeight),
    }),
    few: ({ result }) => ({ token: result.at(-1)!.token }),
  },

  usage: `${contract.summary}, in chain order. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,

  forModel,
};
