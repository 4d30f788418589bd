import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Outage } from "#lib/indexer/retry.ts";
import type { Progress } from "#lib/indexer/sync.ts";
import { gaugesIn } from "#lib/metrics/gauges.ts";
import type { Store } from "#lib/store/store.ts";

/** The metrics of a sync. Without a price feed, `isPriceFeedFailing` is always false. */
export function createSyncMetrics({ isPriceFeedFailing = (): boolean => false } = {}) {
  let walBytes = () => 0;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = gaugesIn(registry);
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const height = gauge("aqs_sync_height", "Height of the highest stored block");
  const lag = gauge("aqs_sync_lag_blocks", "Blocks that the node is ahead");
  const blocks = counter("aqs_sync_blocks_total", "Blocks stored since the start");
  const outputs = counter("aqs_sync_outputs_total", "Outputs stored since the start");
  const reorganisations = counter("aqs_sync_reorganisations_total", "Reorganisations since the start");
  const reverted = counter(
    "aqs_sync_reverted_blocks_total",
    "Blocks that reorganisations reverted since the start",
  );
  const waiting = new Gauge({
    name: "aqs_sync_waiting",
    help: "1 while sync tries again because the node, or the database, does not answer as it should",
    labelNames: ["for"],
    registers,
  });
  gauge(
    "aqs_sync_price_feed_failing",
    "1 if the source of --prices did not give all prices the last time",
    () => Number(isPriceFeedFailing()),
  );
  gauge("aqs_sync_wal_bytes", "Bytes of SQLite's write-ahead log; 0 with PostgreSQL", () => walBytes());
  const waitsFor = (outage: Outage | null) => {
    for (const each of ["node", "database"] as const) waiting.set({ for: each }, Number(each === outage));
  };
  waitsFor(null);
  let before = { blocks: 0, outputs: 0 };
  const tips = (now: Progress) => {
    height.set(now.height);
    lag.set(Math.max(0, now.nodeHeight - now.height));
  };
  return {
    registry,
    waitsFor,
    /** Also measures the write-ahead log of this store. */
    follow(store: Pick<Store, "walBytes">): void {
      walBytes = () => store.walBytes?.() ?? 0;
    },
    tips,
    progress(now: Progress): void {
      tips(now);
      blocks.inc(now.blocks - before.blocks);
      outputs.inc(now.outputs - before.outputs);
      // The sync keeps counting in the same object.
      before = { ...now };
    },
    reorganised(depth: number): void {
      reorganisations.inc();
      reverted.inc(depth);
    },
  };
}
