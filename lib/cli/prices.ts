import { loadPrices } from "#lib/ingest/prices.ts";
import { type Command, parseWords, report, UsageError, withStore } from "./command.ts";

export const pricesLoad: Command = {
  usage: "prices load FILE",
  summary: "Add prices from a CSV file (asset_id,time,usd) and re-value the blocks they touch.",
  details: `"time" is RFC 3339 with a zone, or Unix time; "usd" the price of one whole token, plain decimal text.
The price in force at a block's time is the latest one at or before it.`,
  async run(args) {
    const { positionals } = parseWords(args, {});
    const [file] = positionals;
    if (positionals.length !== 1 || file === undefined) throw new UsageError("prices load takes one file");
    const loaded = await withStore((store) => loadPrices(store, file));
    report(`${loaded} prices loaded.`);
    return 0;
  },
};
