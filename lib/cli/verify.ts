import { chain } from "#lib/chains/chain.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { chainTip, storedHorizon } from "#lib/queries/chain.ts";
import { closing, command, print, report, UsageError, wholeNumber, withStoreOfAnyChain } from "./command.ts";
import { NODE_HELP, nodeOptions, readNodeUrl } from "./node-url.ts";

const NOT_RECOMPUTED =
  "Spent outputs are not kept: asset changes, first mints and first heights of addresses were not recomputed up to block";

export const verify = command({
  usage: "verify [--rpc URL] [--sample N]",
  summary: "Check the stored data against its own invariants, and against a node.",
  details: `${NODE_HELP}
  --sample N                compare N blocks with the node, chosen at random, or "all", the default. Without any of
                            these options, it contacts no node

If every block from the first one on is indexed, and the node can hash all its live outputs, the hashes are compared, too.
On a main network, this takes the node several minutes.

Prints each broken invariant, and each value that differs from the node's. Exits 1 if there is one, otherwise 0. Stop sync
first.`,
  options: { ...nodeOptions, sample: { type: "string" } },
  async run(values) {
    const sample = values.sample === "all" ? undefined : wholeNumber("--sample", values.sample);
    const asksNode = values.rpc ?? values["rpc-file"] ?? values["rpc-cookie"] ?? values.sample;
    const url = asksNode === undefined ? undefined : await readNodeUrl(values);
    if (asksNode !== undefined && url === undefined) {
      const option = values.sample === undefined ? "--rpc-cookie" : "--sample";
      throw new UsageError(`${option} needs --rpc, --rpc-file or RPC_URL`);
    }
    if (sample !== undefined) report(`Comparing ${sample} blocks with the node.`);

    const check = (source?: ChainSource) =>
      withStoreOfAnyChain(
        async (store) => {
          const node = source && { source, sample };
          const faults = await verifyStore(store, { parseAddress: chain.parseAddress, node });
          const horizon = faults.length === 0 ? await store.query(storedHorizon) : -1;
          if (horizon >= 0) report(`${NOT_RECOMPUTED} ${horizon}.`);
          return { faults, isEmpty: !(await store.query(chainTip)) };
        },
        undefined,
        { sortInFiles: true },
      );
    const { faults, isEmpty } = await (url === undefined
      ? check()
      : closing(chain.node.connect(url, { cookie: values["rpc-cookie"] }), check));
    print(faults);
    if (faults.length > 0) report("Not all invariants hold.");
    // If DATABASE_URL names a new database by mistake, the result must not look like success.
    else report(isEmpty ? "Nothing is indexed, so nothing was checked." : "All invariants hold.");
    return faults.length === 0 ? 0 : 1;
  },
});
