import { chain } from "#lib/chains/chain.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { requireReadable } from "#lib/indexer/input.ts";
import { command, oneOf, report, withNewStore } from "./command.ts";

const { blockFiles, networks } = chain;
const option = blockFiles.previousOutputs.option;
const optionWithFile = `--${option} FILE`.padEnd(15);

export const importBlocks = command({
  usage: `import FILE… [--${option} FILE] [--network ${networks.join("|")}]`,
  summary: `Store ${blockFiles.description}.`,
  details: `  FILE             a block, or a node's whole response with a block; or several, one per line
  ${optionWithFile}  ${blockFiles.previousOutputs.help}
  --network NAME   ${networks.join(" or ")}; by default, that of the database, or the one that the blocks show

Blocks need not be contiguous, and files can come in any order. Importing a stored block again changes
nothing. Each file is stored completely or not at all; every refused file is named with the reason.`,
  options: { [option]: { type: "string" }, network: { type: "string" } },
  takes: [1, Infinity, "needs at least one file"],
  async run(values, ...files) {
    const network = values.network && oneOf("--network", networks, values.network);
    const previousOutputs = values[option];
    await requireReadable(...files);
    if (previousOutputs) await requireReadable(previousOutputs);
    const result = await withNewStore((store) =>
      importFiles(store, chain, { files, previousOutputs, network }),
    );
    report(result.warnings);
    for (const refused of result.refused) report(refused.reason);
    if (result.lacking > 0) {
      report(
        `${result.lacking === 1 ? "1 file needs" : `${result.lacking} files need`} blocks or outputs that are neither stored nor given: import these blocks, ` +
          `or give the outputs with --${option} FILE.`,
      );
    }
    report(
      `${result.stored} blocks stored, ${result.known} already known, ${result.refused.length} of ${files.length} files refused.`,
    );
    return result.refused.length === 0 ? 0 : 1;
  },
});
