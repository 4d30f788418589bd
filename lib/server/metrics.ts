import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Service } from "#lib/api/service.ts";
import { blockHeader } from "#lib/queries/chain.ts";
import type { Admission, StreamKind } from "./admission.ts";
import type { Renderer } from "./framework.ts";
import type { Outcome } from "./observe.ts";

/** Upper ends in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The same for streams: a list of some pages, and a day of events. */
const STREAM_BUCKETS = [1, 10, 60, 600, 3600, 21_600, 86_400];

export type ServerMetrics = ReturnType<typeof createMetrics>;

/** What Prometheus gets of a server: requests, the tip, the database, the event loop and memory. */
export function createMetrics(service: Service, renderer: Pick<Renderer, "heapBytes"> = {}) {
  const {
    store,
    workQueue,
    pageQueue: pageTurns,
    responseCache: answers,
    availability,
    tip,
    config,
  } = service;
  let followed: Pick<Admission, "load"> | undefined;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** Measures when Prometheus asks. What gives undefined is left as it was. */
  const gauge = (
    name: string,
    help: string,
    read: () => number | undefined | Promise<number | undefined>,
    aggregator?: Aggregator,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      ...(aggregator && { aggregator }),
      async collect() {
        const value = await read();
        if (value !== undefined) this.set(value);
      },
    });
  /** The same for several values, by a label. */
  const gauges = (name: string, help: string, label: string, read: () => Record<string, number>) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        for (const [key, value] of Object.entries(read())) this.set({ [label]: key }, value);
      },
    });

  const durations = new Histogram({
    name: "aqs_request_duration_seconds",
    help: "From a request's head to the last byte of its answer, by route and status; `none` if there was no answer. Without streams",
    labelNames: ["route", "status"],
    buckets: BUCKETS,
    registers,
  });
  const bytes = new Counter({
    name: "aqs_response_bytes_total",
    help: "Bytes of answers, with their heads, by route",
    labelNames: ["route"],
    registers,
  });
  const streamDurations = new Histogram({
    name: "aqs_stream_duration_seconds",
    help: "From a stream's request to its end: events, and lists as NDJSON",
    labelNames: ["kind"],
    buckets: STREAM_BUCKETS,
    registers,
  });
  gauges(
    "aqs_open_streams",
    "Streams that are open",
    "kind",
    () => followed?.load.streams ?? { events: 0, ndjson: 0 },
  );
  gauge(
    "aqs_max_event_streams",
    "Streams that may be open: MAX_EVENT_STREAMS",
    () => config.MAX_EVENT_STREAMS,
  );
  gauges(
    "aqs_requests_in_progress",
    "What waits: requests that are not answered to the last byte; pages, and answers of all other kinds, in work or waiting for their turn",
    "kind",
    () => ({
      request: followed?.load.requests ?? 0,
      page: pageTurns.load.working,
      "page waiting": pageTurns.load.waiting,
      "api working": workQueue.load.working,
      "api waiting": workQueue.load.waiting,
    }),
  );
  gauge(
    "aqs_unread_bytes",
    "Bytes of answers that their readers have not taken yet",
    () => followed?.load.unreadBytes ?? 0,
  );
  gauge("aqs_connections", "Open connections of clients", () => followed?.load.connections ?? 0);
  gauge(
    "aqs_render_heap_bytes",
    "Heap used by the thread that renders pages; `nodejs_heap_size_used_bytes` does not include it",
    async () => renderer.heapBytes?.(),
  );
  gauges(
    "aqs_database_connections",
    "Connections to a database server, by state; `waiting` is work that waits for one. SQLite has none",
    "state",
    () => ({ ...store.connections?.() }),
  );
  gauge(
    "aqs_kept_answers",
    "Answers that are kept in memory until the data change",
    () => answers.figures.entries,
  );
  gauge("aqs_kept_answer_bytes", "Memory that kept answers take, of CACHE_MB", () => answers.figures.bytes);
  new Counter({
    name: "aqs_kept_answer_lookups_total",
    help: "Requests whose answer was kept (`hit`) or had to be made (`miss`)",
    labelNames: ["result"],
    registers,
    collect() {
      const { hits, misses } = answers.figures;
      this.reset();
      this.inc({ result: "hit" }, hits);
      this.inc({ result: "miss" }, misses);
    },
  });
  new Counter({
    name: "aqs_kept_answer_evictions_total",
    help: "Kept answers that had to go for others before the data changed: CACHE_MB was too small for them",
    registers,
    collect() {
      this.reset();
      this.inc(answers.figures.evictions);
    },
  });

  const readTip = async () => {
    try {
      const { ready } = await availability.check();
      const last = await tip.read();
      return { ready, block: last && (await store.query(blockHeader, last.hash)) };
    } catch {
      // The check logs an outage when it begins and when it ends.
      return { ready: false, block: null };
    }
  };
  let reading: ReturnType<typeof readTip> | null = null;
  // Prometheus asks for all metrics at once: they share one reading.
  const read = () => {
    reading ??= readTip().finally(() => {
      reading = null;
    });
    return reading;
  };
  gauge(
    "aqs_ready",
    "1 if the database answers and is fit to serve, as /readyz says",
    async () => Number((await read()).ready),
    "min",
  );
  gauge(
    "aqs_tip_height",
    "Height of the highest indexed block, when it could be read last",
    async () => (await read()).block?.height,
    "max",
  );
  gauge(
    "aqs_tip_age_seconds",
    "Seconds since the time of the highest indexed block, when it could be read last",
    async () => {
      const { block } = await read();
      return block ? (Date.now() - block.timestamp) / 1000 : undefined;
    },
    "min",
  );
  gauge(
    "aqs_tip_stale_after_seconds",
    "Age of the tip that is unusual on the served chain: pages warn from then on",
    () => service.staleAfter,
    "max",
  );
  gauge(
    "aqs_replica_lag_seconds",
    "Seconds that the replica may be behind its primary, when it could be read last; 0 without a replica",
    async () => {
      await read();
      return availability.replicaLag ?? 0;
    },
    "max",
  );

  return {
    registry,
    /** Measures also what these connections and requests are. */
    follow(admission: Pick<Admission, "load">): void {
      followed = admission;
    },
    /** Counts a request that has ended; `stream` if its answer was one. */
    count({ route, status, seconds, bytes: sent }: Outcome, stream: StreamKind | null): void {
      if (stream) streamDurations.observe({ kind: stream }, seconds);
      else durations.observe({ route, status: status ?? "none" }, seconds);
      bytes.inc({ route }, sent);
    },
  };
}
