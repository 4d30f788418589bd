import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Progress } from "#lib/ingest/sync.ts";

/** What Prometheus gets of `sync`. */
export function createSyncMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const height = new Gauge({
    name: "aqs_sync_height",
    help: "Height of the highest stored block",
    registers,
  });
  const lag = new Gauge({ name: "aqs_sync_lag_blocks", help: "Blocks that the node is ahead", registers });
  const blocks = new Counter({
    name: "aqs_sync_blocks_total",
    help: "Blocks stored since the start",
    registers,
  });
  const outputs = new Counter({
    name: "aqs_sync_outputs_total",
    help: "Outputs stored since the start",
    registers,
  });
  const reorganisations = new Counter({
    name: "aqs_sync_reorganisations_total",
    help: "Reorganisations since the start",
    registers,
  });
  const reverted = new Counter({
    name: "aqs_sync_reverted_blocks_total",
    help: "Blocks that reorganisations took back since the start",
    registers,
  });
  let before = { blocks: 0, outputs: 0 };
  return {
    registry,
    progress(now: Progress): void {
      height.set(now.height);
      lag.set(Math.max(0, now.nodeHeight - now.height));
      blocks.inc(now.blocks - before.blocks);
      outputs.inc(now.outputs - before.outputs);
      // The sync goes on counting in the same object.
      before = { ...now };
    },
    reorganised(depth: number): void {
      reorganisations.inc();
      reverted.inc(depth);
    },
  };
}
