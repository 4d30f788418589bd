import type { Network } from "#lib/chains/ckb/known-scripts.ts";
import { importFiles } from "#lib/ingest/import.ts";
import { type Command, parseWords, report, UsageError, withStore } from "./command.ts";

export const importBlocks: Command = {
  usage: "import FILE… [--cells FILE] [--network mainnet|testnet]",
  summary: "Store blocks as a CKB node's get_block returns them.",
  details: `  FILE             a block as JSON, alone or in its JSON-RPC answer, or one block a line (NDJSON)
  --cells FILE     previous outputs: { "<tx hash>:<index in hex>": { "output": …, "data": … } }
  --network NAME   mainnet or testnet; without it the blocks' known scripts tell

Blocks need not be contiguous, and files may come in any order. A block that is stored already changes
nothing. A file is stored wholly or not at all; every refused file is named with the reason.`,
  async run(args) {
    const { values, positionals: files } = parseWords(args, {
      cells: { type: "string" },
      network: { type: "string" },
    });
    if (files.length === 0) throw new UsageError("import needs at least one file");
    const { cells, network } = values;
    if (network !== undefined && network !== "mainnet" && network !== "testnet") {
      throw new UsageError(`--network is mainnet or testnet, not ${JSON.stringify(network)}`);
    }
    const result = await withStore((store) =>
      importFiles(store, { files, cells, network: network as Network | undefined }),
    );
    for (const refused of result.refused) report(refused.reason);
    report(
      `${result.stored} blocks stored, ${result.known} known already, ${result.refused.length} of ${files.length} files refused.`,
    );
    return result.refused.length === 0 ? 0 : 1;
  },
};
