/** Combines the metrics of several processes: workers report theirs, and the first process adds them up. */
import cluster from "node:cluster";
import { setTimeout } from "node:timers/promises";
import { AggregatorRegistry, type Registry } from "prom-client";

/** Milliseconds between two reports of a worker. If it is killed, counts since the last one are lost. */
const REPORT_EVERY = 2_000;

/** Values are rounded to multiples of this, so that sums are exact. Prometheus interprets a smaller sum as a restart. */
const GRAIN = 2 ** -20;

type Figures = { type: unknown; values: { value: number }[] }[];
interface Report {
  type: "aqs:metrics";
  figures: Figures;
}

/** Reports a worker's registry now and every two seconds. The returned function reports once more and stops. */
export function reportMetrics(registry: Registry): () => Promise<void> {
  const end = new AbortController();
  const report = async () => {
    const figures = await registry.getMetricsAsJSON();
    // An error means that the first process is gone, and then this worker exits anyway.
    await new Promise((sent) => process.send!({ type: "aqs:metrics", figures } satisfies Report, sent));
  };
  const reporting = (async () => {
    while (!end.signal.aborted) {
      await report();
      await setTimeout(REPORT_EVERY, null, { signal: end.signal, ref: false }).catch(() => {});
    }
    await report();
  })().catch((error) => console.error(error));
  return () => {
    end.abort();
    return reporting;
  };
}

/** Adds up the last reports of all workers. Counters of workers that have exited stay, so that no sum falls. */
export class WorkerMetrics implements Pick<Registry, "metrics" | "contentType"> {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  readonly #running = new Map<number, Figures>();
  #ended: object[] = [];

  constructor() {
    cluster.on("message", ({ id }, message: Report) => {
      if (message.type !== "aqs:metrics") return;
      const { figures } = message;
      for (const { values } of figures)
        for (const each of values) each.value = Math.round(each.value / GRAIN) * GRAIN;
      this.#running.set(id, figures);
    });
    // "disconnect" comes after a worker's last message, but "exit" may come before.
    cluster.on("disconnect", ({ id }) => {
      const figures = this.#running.get(id) ?? [];
      const sums = figures.filter(({ type }) => type === "counter" || type === "histogram");
      this.#ended = AggregatorRegistry.aggregate([this.#ended, sums]).getMetricsAsArray();
      this.#running.delete(id);
    });
  }

  metrics(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#running.values(), this.#ended]).metrics();
  }
}
