import { dataStatus } from "#lib/queries/status.ts";
import { command, print, withStore } from "./command.ts";

export const status = command({
  usage: "status",
  summary: "Print the state of the database as JSON: network, tip, counts, engine, schema version.",
  takes: [0, 0, "takes no arguments"],
  async run() {
    const { engine, schemaVersion, identity, tip, tipTime, lowestHeight, horizon, counts } = await withStore(
      async (store) => ({ engine: store.engine, ...(await store.query(dataStatus)) }),
    );
    const value = {
      network: identity?.network ?? null,
      demo: identity?.demo ?? false,
      tipHeight: tip?.height ?? null,
      tipHash: tip?.hash ?? null,
      tipTime: tipTime === null ? null : new Date(tipTime).toISOString(),
      lowestHeight,
      coverage: tip && (tip.coverage ?? `0-${tip.height}`),
      ...(horizon >= 0 && { spentNotKeptUpTo: horizon }),
      counts,
      engine,
      schemaVersion,
    };
    print(JSON.stringify(value, null, 2).split("\n"));
  },
});
