import { randomInt } from "node:crypto";
import { chain } from "#chain/chain.ts";
import type { NodeConnection } from "#lib/contract/source.ts";
import { verifyStore } from "#lib/ingest/verify.ts";
import { type Command, parseWords, print, report, UsageError, wholeNumber, withStore } from "./command.ts";
import { NODE_HELP, nodeOptions, readNodeUrl } from "./node-url.ts";

const SEEDS = 2 ** 32;

export const verify: Command = {
  usage: "verify [--rpc URL] [--sample N]",
  summary: "Check the stored data against its own invariants, and against a node.",
  details: `${NODE_HELP}
  --sample N                compare so many blocks with the node, chosen at random, or "all", the default. Without
                            --rpc, --rpc-file and this, no node is asked
  --seed SEED               choose the blocks that the run with this seed chose

Prints each broken invariant, and each value of which the node says something else. Exits 1 if there is one, otherwise 0.
Stop sync first.`,
  async run(args) {
    const { values, positionals } = parseWords(args, {
      ...nodeOptions,
      sample: { type: "string" },
      seed: { type: "string" },
    });
    if (positionals.length > 0) throw new UsageError(`Unexpected: ${positionals.join(" ")}`);
    const sample = values.sample === "all" ? undefined : wholeNumber("--sample", values.sample);
    const seed = wholeNumber("--seed", values.seed) ?? randomInt(SEEDS);
    const asksNode = values.rpc ?? values["rpc-file"] ?? values.sample;
    const url = asksNode === undefined ? undefined : await readNodeUrl(values);
    if (asksNode !== undefined && url === undefined) {
      throw new UsageError("--sample needs --rpc, --rpc-file or RPC_URL");
    }
    if (sample !== undefined) report(`Comparing ${sample} blocks with the node, chosen with --seed ${seed}.`);

    const faults = await withNode(url, (source) =>
      withStore((store) =>
        verifyStore(store, { parseAddress: chain.parseAddress, node: source && { source, sample, seed } }),
      ),
    );
    for (const fault of faults) print(fault);
    report(faults.length === 0 ? "All invariants hold." : `${faults.length} invariants are broken.`);
    return faults.length === 0 ? 0 : 1;
  },
};

async function withNode<T>(
  url: string | undefined,
  work: (node: NodeConnection | undefined) => Promise<T>,
): Promise<T> {
  const node = url === undefined ? undefined : await chain.node.connect(url);
  try {
    return await work(node);
  } finally {
    node?.close();
  }
}
