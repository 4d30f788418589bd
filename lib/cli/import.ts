import { chain } from "#chain/chain.ts";
import { importFiles } from "#lib/ingest/import.ts";
import { type Command, parseWords, report, UsageError, withStore } from "./command.ts";

const { description, previousOutputs } = chain.blockFiles;
const option = previousOutputs.option;
const optionWithFile = `--${option} FILE`.padEnd(15);

export const importBlocks: Command = {
  usage: `import FILE… [--${option} FILE] [--network ${chain.networks.join("|")}]`,
  summary: `Store ${description}.`,
  details: `  FILE             JSON: one block, a node's whole response with a block in it, or one of these a line (NDJSON)
  ${optionWithFile}  ${previousOutputs.help}
  --network NAME   ${chain.networks.join(" or ")}; by default, the network that the blocks show

Blocks need not be contiguous, and files can come in any order. Importing a stored block again changes
nothing. Each file is stored completely or not at all; every refused file is named with the reason.`,
  async run(args) {
    const { values, positionals: files } = parseWords(args, {
      [option]: { type: "string" },
      network: { type: "string" },
    });
    if (files.length === 0) throw new UsageError("import needs at least one file");
    const { network } = values;
    if (network !== undefined && !chain.networks.includes(network)) {
      throw new UsageError(`--network is ${chain.networks.join(" or ")}, not ${JSON.stringify(network)}`);
    }
    const result = await withStore((store) =>
      importFiles(store, chain, { files, previousOutputs: values[option], network }),
    );
    report(result.warnings);
    for (const refused of result.refused) report(refused.reason);
    report(
      `${result.stored} blocks stored, ${result.known} known already, ${result.refused.length} of ${files.length} files refused.`,
    );
    return result.refused.length === 0 ? 0 : 1;
  },
};
