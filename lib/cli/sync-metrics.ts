import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Progress } from "#lib/ingest/sync.ts";

export function createSyncMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const height = gauge("aqs_sync_height", "Height of the highest stored block");
  const lag = gauge("aqs_sync_lag_blocks", "Blocks that the node is ahead");
  const blocks = counter("aqs_sync_blocks_total", "Blocks stored since the start");
  const outputs = counter("aqs_sync_outputs_total", "Outputs stored since the start");
  const reorganisations = counter("aqs_sync_reorganisations_total", "Reorganisations since the start");
  const reverted = counter(
    "aqs_sync_reverted_blocks_total",
    "Blocks that reorganisations took back since the start",
  );
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
