import { chain } from "#lib/chains/chain.ts";
import { requireReadable } from "#lib/indexer/input.ts";
import { listPrices, loadPriceFile, parseAssetId, parseTime } from "#lib/indexer/prices.ts";
import { removePrices } from "#lib/store/rules/values.ts";
import { command, report, withNewStore, withStore, writeData, wrong } from "./command.ts";

export const pricesLoad = command({
  usage: "prices load FILE",
  summary: "Add prices from a CSV file (asset_id,time,usd), and update the values that they affect.",
  details: `"time" is RFC 3339 with a zone, or Unix time; "usd" the price of one whole token, plain decimal text.
A block uses the latest price at or before its time. A time over 5 minutes in the future is refused.`,
  takes: [1, 1, "takes one file"],
  async run(_, file) {
    await requireReadable(file);
    report(`${await withNewStore((store) => loadPriceFile(store, file, chain.assetIdFault))} prices loaded.`);
  },
});

export const pricesList = command({
  usage: "prices list [ASSET]",
  summary:
    "Write the stored prices to stdout, all or those of one asset, as the CSV file that prices load takes.",
  takes: [0, 1, "takes one asset at most"],
  async run(_, ...assets) {
    const [asset] = assets.map(assetIdOf);
    await withStore(async (store) => {
      // The reader of the pipe may close it early.
      for await (const piece of listPrices(store, asset)) if (!(await writeData(piece))) break;
    });
  },
});

export const pricesRemove = command({
  usage: "prices remove ASSET [--from TIME] [--to TIME]",
  summary: "Remove prices of an asset, and update the values that they affect.",
  details: `  --from TIME  only prices of this time or later
  --to TIME    only prices of this time or earlier
A TIME is RFC 3339 with a zone, or Unix time in seconds or milliseconds.`,
  options: { from: { type: "string" }, to: { type: "string" } },
  takes: [1, 1, "takes one asset"],
  async run({ from, to }, asset) {
    const id = assetIdOf(asset);
    const first = timeOf("--from", from) ?? Number.MIN_SAFE_INTEGER;
    const last = timeOf("--to", to) ?? Number.MAX_SAFE_INTEGER;
    const removed = await withStore((store) => store.write(removePrices, id, first, last));
    report(`${removed} prices removed.`);
  },
});

function assetIdOf(text: string): string {
  const id = parseAssetId(text);
  if (id === null) throw wrong("ASSET", "0x and pairs of hex digits", text);
  return id;
}

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  // A year or a date in digits would be a time before 1973, and so remove everything after it.
  if (time === null || /^\d{1,8}$/.test(text)) {
    throw wrong(option, "RFC 3339 with a zone or a Unix time, such as 2026-01-01T00:00:00Z", text);
  }
  return time;
}
