import { chainTip } from "#lib/queries/chain.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { command, report, wholeNumber, withStore, withSyncLock } from "./command.ts";

export const revert = command({
  usage: "revert HEIGHT",
  summary: "Revert every block above a height, so that sync or import can store others there.",
  details: `It is one transaction, as in a reorganisation. Stop sync first. The next sync stores the blocks of
the node's chain again; registry, prices and access tokens stay.`,
  takes: [1, 1, "takes one height"],
  async run(_, text) {
    const height = wholeNumber("HEIGHT", text)!;
    const { count, tip } = await withStore((store) =>
      withSyncLock(store, async () => ({
        count: await store.write(revertTo, height),
        tip: await store.query(chainTip),
      })),
    );
    const now = tip ? `the tip is block ${tip.height} (${tip.hash})` : "nothing is indexed";
    report(`${count} blocks above ${height} reverted; ${now}.`);
  },
});
