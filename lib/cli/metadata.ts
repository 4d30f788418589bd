import { loadPrices } from "#lib/ingest/prices.ts";
import { loadRegistry } from "#lib/ingest/registry.ts";
import type { Ledger } from "#lib/store/store.ts";
import { type Command, parseWords, report, UsageError, withStore } from "./command.ts";

function loader(name: string, what: string, load: (store: Ledger, file: string) => Promise<number>) {
  return async (args: string[]): Promise<number> => {
    const { positionals } = parseWords(args, {});
    const [file] = positionals;
    if (positionals.length !== 1 || file === undefined) throw new UsageError(`${name} takes one file`);
    const loaded = await withStore((store) => load(store, file));
    report(`${loaded} ${what} loaded.`);
    return 0;
  };
}

export const assetsLoad: Command = {
  usage: "assets load FILE",
  summary: "Make a JSON file the asset registry: tags, icons, descriptions, overrides.",
  details: `The file is an array of entries, or { "assets": [ … ] }. An entry has "id" and any of "name", "symbol",
"decimals", "layer", "parentId", "icon", "description", "keywords" and "tags" (lists of text), "public".
The file is the whole registry: an asset that it no longer lists loses its listing.`,
  run: loader("assets load", "assets", loadRegistry),
};

export const pricesLoad: Command = {
  usage: "prices load FILE",
  summary: "Add prices from a CSV file (asset_id,time,usd) and re-value the blocks they touch.",
  details: `"time" is RFC 3339 with a zone, or Unix time; "usd" the price of one whole token, plain decimal text.
The price in force at a block's time is the latest one at or before it.`,
  run: loader("prices load", "prices", loadPrices),
};
