/** Combines the metrics of several processes: workers report theirs, and the first process adds them up. */
import cluster from "node:cluster";
import { setTimeout } from "node:timers/promises";
import { AggregatorRegistry, Counter, Registry } from "prom-client";
import { gaugesIn } from "./gauges.ts";

/** Milliseconds between two reports of a worker. If it is killed, counts since the last one are lost. */
const REPORT_EVERY = 2_000;

/** Milliseconds after which a worker that does not report counts as hanging. */
const SILENT = 30_000;

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

/** The last report of a worker, and when it came. */
interface Reported {
  figures: Figures;
  at: number;
}
const isReporting = ({ at }: Reported): boolean => Date.now() - at < SILENT;

const countsOf = (figures: Figures): Figures =>
  figures.filter(({ type }) => type === "counter" || type === "histogram");

/**
 * Adds up the last reports of all workers, and adds metrics of the first process. Counters of workers that have exited stay, so
 * that no sum falls.
 */
export class WorkerMetrics implements Pick<Registry, "metrics" | "contentType"> {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  /** Metrics of the first process. */
  readonly own = new Registry();
  readonly #running = new Map<number, Reported>();
  #ended: object[] = [];

  /** `wanted`: the number of workers that should run. */
  constructor(wanted: number) {
    const gauge = gaugesIn(this.own);
    const began = Math.round(Date.now() / 1000 - process.uptime());
    gauge("process_start_time_seconds", "Start of the first process, in seconds since the Unix epoch").set(
      began,
    );
    gauge(
      "aqs_workers",
      "Workers that report",
      () => this.#running.values().filter(isReporting).toArray().length,
    );
    gauge("aqs_workers_wanted", "Workers that should run: WEB_CONCURRENCY").set(wanted);
    const registers = [this.own];
    const deaths = new Counter({ name: "aqs_worker_deaths_total", help: "Workers that failed", registers });
    cluster.on("exit", (_worker, code) => {
      if (code !== 0) deaths.inc();
    });
    cluster.on("message", ({ id }, message: Report) => {
      if (message.type !== "aqs:metrics") return;
      const { figures } = message;
      for (const { values } of figures)
        for (const each of values) each.value = Math.round(each.value / GRAIN) * GRAIN;
      this.#running.set(id, { figures, at: Date.now() });
    });
    // "disconnect" comes after a worker's last message, but "exit" may come before.
    cluster.on("disconnect", ({ id }) => {
      const figures = this.#running.get(id)?.figures ?? [];
      this.#ended = AggregatorRegistry.aggregate([this.#ended, countsOf(figures)]).getMetricsAsArray();
      this.#running.delete(id);
    });
  }

  async metrics(): Promise<string> {
    const figures = [...this.#running.values()].map((reported) =>
      isReporting(reported) ? reported.figures : countsOf(reported.figures),
    );
    const sums = AggregatorRegistry.aggregate([...figures, this.#ended]);
    return `${await sums.metrics()}\n${await this.own.metrics()}`;
  }
}
