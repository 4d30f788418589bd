import { chain } from "#lib/chains/chain.ts";
import { command, report, withNewStore } from "./command.ts";

/** Failed icons beyond these are only counted. */
const MAX_LISTED = 20;

export const assetsLoad = command({
  usage: "assets load FILE [--force]",
  summary: "Replace the asset registry with a JSON file: tags, icons, descriptions, overrides.",
  details: `The file is an array of entries, or { "assets": [ … ] }. An entry has "id" and any of "name", "symbol",
"decimals", "layer", "parentId", "icon", "description", "keywords" and "tags" (lists of text), "public".
The file is the whole registry: an asset that it no longer lists loses its listing.

"icon" is a file in the registry file's folder, a data: URI or an https URL. The picture is read now and stored.
An icon that cannot be read is reported, and its asset keeps the icon that it had: the exit code is still 0.

  --force  take a file without assets, so that every asset loses its listing`,
  options: { force: { type: "boolean" } },
  takes: [1, 1, "takes one file"],
  async run({ force }, file) {
    // Imported late, because the image library behind it would slow down every `--help`.
    const { loadRegistry, readRegistry } = await import("#lib/indexer/registry.ts");
    const entries = await readRegistry(file, chain.assetIdFault);
    const loaded = await withNewStore((store) => loadRegistry(store, file, entries, force));
    const { assets, icons, iconFailures: failures, unlisted } = loaded;
    report(
      failures.slice(0, MAX_LISTED).map(({ assetId, reason }) => `${assetId}: icon not read: ${reason}`),
    );
    if (failures.length > MAX_LISTED) report(`and ${failures.length - MAX_LISTED} more`);
    if (failures.length > 0) report(`Icons that could not be read: ${failures.length}.`);
    const withIcons = icons > 0 ? `, ${icons} with an icon` : "";
    report(
      `${assets} assets loaded${withIcons}.${unlisted > 0 ? ` ${unlisted} others lost their listing.` : ""}`,
    );
  },
});
