import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Service } from "#lib/api/service.ts";
import { gaugesIn } from "#lib/metrics/gauges.ts";
import { blockHeader } from "#lib/queries/chain.ts";
import type { Admission, StreamKind } from "./admission.ts";
import type { Renderer } from "./framework.ts";
import type { Outcome } from "./observe.ts";

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Upper bounds of streams in seconds, from a list of some pages to a day of events. */
const STREAM_BUCKETS = [1, 10, 60, 600, 3600, 21_600, 86_400];

export type ServerMetrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of a server: requests, the tip, the database, the event loop and memory. */
export function createMetrics(service: Service, renderer: Pick<Renderer, "heapBytes"> = {}) {
  const { store, workQueue, pageQueue, responseCache, availability, tip, config } = service;
  let followed: Pick<Admission, "load"> | undefined;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = gaugesIn(registry);
  /** Adds a gauge with one value per label. */
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
    help: "From a request's head to the last byte of its response, by route and status; `none` if there was no response. Without streams",
    labelNames: ["route", "status"],
    buckets: BUCKETS,
    registers,
  });
  const bytes = new Counter({
    name: "aqs_response_bytes_total",
    help: "Bytes of responses, with their heads, by route",
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
    "Requests whose response is not flushed (`request`), pages that are rendered or wait, and other requests that run or wait",
    "kind",
    () => ({
      request: followed?.load.requests ?? 0,
      page: pageQueue.load.working,
      "page waiting": pageQueue.load.waiting,
      "api working": workQueue.load.working,
      "api waiting": workQueue.load.waiting,
    }),
  );
  gauge(
    "aqs_unread_bytes",
    "Bytes of responses that are not flushed yet",
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
    "Connections to a database server, by state; `waiting` counts work that waits for one. SQLite has none",
    "state",
    () => ({ ...store.connections?.() }),
  );
  gauge(
    "aqs_cached_responses",
    "Responses in the cache, which last until the data change",
    () => responseCache.figures.entries,
  );
  gauge(
    "aqs_cached_response_bytes",
    "Memory that cached responses take, of CACHE_MB",
    () => responseCache.bytes,
  );
  new Counter({
    name: "aqs_response_cache_lookups_total",
    help: "Requests whose response was in the cache (`hit`) or not (`miss`)",
    labelNames: ["result"],
    registers,
    collect() {
      const { hits, misses } = responseCache.figures;
      this.reset();
      this.inc({ result: "hit" }, hits);
      this.inc({ result: "miss" }, misses);
    },
  });
  new Counter({
    name: "aqs_response_cache_evictions_total",
    help: "Valid responses that the cache evicted because CACHE_MB is too small",
    registers,
    collect() {
      this.reset();
      this.inc(responseCache.figures.evictions);
    },
  });

  const readTip = async () => {
    try {
      const { ready } = await availability.check();
      const last = await tip.read();
      return { ready, block: last && (await store.query(blockHeader, last.hash)) };
    } catch {
      // The check has logged the outage.
      return { ready: false, block: null };
    }
  };
  let reading: ReturnType<typeof readTip> | null = null;
  /** Reads the tip once per scrape, for all its metrics. */
  const read = () => {
    reading ??= readTip().finally(() => {
      reading = null;
    });
    return reading;
  };
  gauge(
    "aqs_ready",
    "1 if the database responds and is fit to serve, as /readyz says",
    async () => Number((await read()).ready),
    "min",
  );
  gauge(
    "aqs_tip_height",
    "Height of the highest indexed block, at the last successful read",
    async () => (await read()).block?.height,
    "max",
  );
  gauge(
    "aqs_tip_age_seconds",
    "Seconds since the time of the highest indexed block, at the last successful read",
    async () => {
      const { block } = await read();
      return block ? (Date.now() - block.timestamp) / 1000 : undefined;
    },
    "min",
  );
  gauge(
    "aqs_tip_stale_after_seconds",
    "Age of the tip beyond which pages warn, because it is unusual on the served chain",
    () => service.staleAfter,
    "max",
  );
  gauge(
    "aqs_replica_lag_seconds",
    "Seconds that the replica may be behind its primary, at the last successful read; 0 without a replica",
    async () => {
      await read();
      return availability.replicaLag ?? 0;
    },
    "max",
  );

  return {
    registry,
    /** Includes the load of the server behind this admission. */
    follow(admission: Pick<Admission, "load">): void {
      followed = admission;
    },
    /** Counts a finished request. `stream` is its kind if the response was a stream. */
    count({ route, status, seconds, bytes: sent }: Outcome, stream: StreamKind | null): void {
      if (stream) streamDurations.observe({ kind: stream }, seconds);
      else durations.observe({ route, status: status ?? "none" }, seconds);
      bytes.inc({ route }, sent);
    },
  };
}
