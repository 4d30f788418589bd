import { listPrices, loadPriceFile, parseAssetId, parseTime } from "#lib/ingest/prices.ts";
import { removePrices } from "#lib/store/rules/values.ts";
import { type Command, parseWords, report, UsageError, withStore, writeData } from "./command.ts";

export const pricesLoad: Command = {
  usage: "prices load FILE",
  summary: "Add prices from a CSV file (asset_id,time,usd) and re-value the blocks they touch.",
  details: `"time" is RFC 3339 with a zone, or Unix time; "usd" the price of one whole token, plain decimal text.
The price in force at a block's time is the latest one at or before it. A time in the future is refused.`,
  async run(args) {
    const { positionals } = parseWords(args, {});
    const [file] = positionals;
    if (positionals.length !== 1 || file === undefined) throw new UsageError("prices load takes one file");
    const loaded = await withStore((store) => loadPriceFile(store, file));
    report(`${loaded} prices loaded.`);
    return 0;
  },
};

export const pricesList: Command = {
  usage: "prices list [ASSET]",
  summary:
    "Write the stored prices to stdout, all or those of one asset, as the CSV file that prices load takes.",
  async run(args) {
    const { positionals } = parseWords(args, {});
    if (positionals.length > 1) throw new UsageError("prices list takes one asset at most");
    const asset = positionals.map(assetIdOf).at(0);
    return withStore(async (store) => {
      // Whoever reads the pipe may have enough.
      for await (const piece of listPrices(store, asset)) if (!(await writeData(piece))) break;
      return 0;
    });
  },
};

export const pricesRemove: Command = {
  usage: "prices remove ASSET [--from TIME] [--to TIME]",
  summary: "Remove prices of an asset and re-value the blocks they touch.",
  details: `  --from TIME  only prices of this time or later
  --to TIME    only prices of this time or earlier
A TIME is RFC 3339 with a zone, or Unix time in seconds or milliseconds.`,
  async run(args) {
    const { values, positionals } = parseWords(args, { from: { type: "string" }, to: { type: "string" } });
    const [asset] = positionals;
    if (positionals.length !== 1 || asset === undefined)
      throw new UsageError("prices remove takes one asset");
    const id = assetIdOf(asset);
    const from = timeOf("--from", values.from) ?? Number.MIN_SAFE_INTEGER;
    const to = timeOf("--to", values.to) ?? Number.MAX_SAFE_INTEGER;
    const removed = await withStore((store) => store.write(removePrices, id, from, to));
    report(`${removed} prices removed.`);
    return 0;
  },
};

function assetIdOf(text: string): string {
  const id = parseAssetId(text);
  if (id === null) throw new UsageError(`ASSET is 0x and pairs of hex digits, not ${JSON.stringify(text)}`);
  return id;
}

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === null) {
    throw new UsageError(
      `${option} is RFC 3339 with a zone or a Unix time, such as 2026-01-01T00:00Z, not ${JSON.stringify(text)}`,
    );
  }
  return time;
}
