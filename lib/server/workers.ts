/**
 * Several processes that answer requests on one port (`WEB_CONCURRENCY`): the workers. The first process answers none. It
 * starts and stops the workers, replaces one that dies, and counts the requests of callers for all of them.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pass } from "node:timers/promises";
import type { Logger } from "pino";
import { type RequestCounter, RequestCounts, type RequestsOfMinute } from "#lib/api/limits.ts";
import type { Config } from "#lib/config.ts";
import { serveMetrics } from "#lib/metrics/serve.ts";
import { health } from "./health.ts";
import { exit } from "./stop.ts";

/** These settings are for the whole service: each worker has its share. */
const SHARED = [
  "CACHE_MB",
  "MAX_CONNECTIONS",
  "MAX_CONCURRENT_REQUESTS",
  "MAX_CONCURRENT_PAGES",
  "MAX_EVENT_STREAMS",
] as const satisfies (keyof Config)[];

/** Milliseconds before a worker that died is replaced: at first, and at most if one after another dies soon. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
/** Milliseconds after which a worker is no longer one that died soon. */
const SOON = 60_000;
/** For a worker to end after the time that it has for its connections, in milliseconds. */
const ENDING_MS = 5_000;

/** From a worker to the first process, and back. */
interface CountRequest {
  type: "aqs:count";
  id: number;
  callerId: string;
  now: number;
}
interface Counted extends RequestsOfMinute {
  type: "aqs:counted";
  id: number;
}
/** To a worker: end, since another one has taken its place. */
export const RETIRE = "aqs:retire";

const isOf = <Message extends { type: string }>(
  message: unknown,
  type: Message["type"],
): message is Message => typeof message === "object" && (message as Message | null)?.type === type;

/** In a worker: lets the first process count, so that a quota holds for all workers together. */
export class SharedRequestCounts implements RequestCounter {
  #asked = 0;
  readonly #waiting = new Map<number, (minute: RequestsOfMinute) => void>();

  constructor() {
    process.on("message", (message) => {
      if (!isOf<Counted>(message, "aqs:counted")) return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** A worker that has lost the first process ends, so an answer always comes. */
  count(callerId: string, now: number): Promise<RequestsOfMinute> {
    return new Promise((resolve) => {
      const id = this.#asked++;
      this.#waiting.set(id, resolve);
      process.send!({ type: "aqs:count", id, callerId, now } satisfies CountRequest);
    });
  }
}

/**
 * Starts the workers and keeps them running. SIGTERM and SIGINT stop all of them, then the process exits with 0. SIGUSR2
 * replaces one after another while the others answer. If the first worker cannot start, the process exits as that one did.
 */
export async function superviseWorkers(config: Config, log: Logger): Promise<void> {
  const { HOST, WEB_CONCURRENCY, METRICS_PORT, SHUTDOWN_SECONDS } = config;
  const share = Object.fromEntries(
    SHARED.map((name) => [name, String(Math.ceil(config[name] / WEB_CONCURRENCY))]),
  );
  const counts = new RequestCounts();
  const running = new Set<Worker>();
  let stopping = false;

  /** Resolves when the worker has ended. Kills it if it has not in time. */
  const endOf = async (worker: Worker): Promise<void> => {
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), SHUTDOWN_SECONDS * 1000 + ENDING_MS);
    await once(worker, "exit");
    clearTimeout(kill);
  };

  cluster.on("message", (worker, message) => {
    if (!isOf<CountRequest>(message, "aqs:count")) return;
    const minute = counts.count(message.callerId, message.now);
    worker.send({ type: "aqs:counted", id: message.id, ...minute } satisfies Counted, ignoreEnded);
  });

  /** Resolves to the worker once it answers requests; null if it has ended before. */
  const start = async (): Promise<Worker | null> => {
    const worker = cluster.fork({ ...share, WEB_CONCURRENCY: "1" });
    const listens = await Promise.race([
      once(worker, "listening").then(() => true),
      once(worker, "exit").then(() => false),
    ]);
    if (!listens) return null;
    running.add(worker);
    worker.once("exit", (code, signal) => {
      // One that was not replaced before has died.
      if (running.delete(worker) && !stopping) void replace({ worker: worker.id, code, signal });
    });
    return worker;
  };

  let pause = FIRST_PAUSE;
  let lastDeath = 0;
  const replace = async (about: object): Promise<void> => {
    log.error(about, "a worker died");
    pause = Date.now() - lastDeath < SOON ? Math.min(pause * 2, LONGEST_PAUSE) : FIRST_PAUSE;
    lastDeath = Date.now();
    await pass(pause);
    if (stopping) return;
    if (!(await start())) await replace({ starting: true });
  };

  let restarting = false;
  const restart = async (): Promise<void> => {
    if (restarting || stopping) return;
    restarting = true;
    try {
      for (const old of [...running]) {
        const worker = await start();
        if (!worker) {
          log.error("a new worker could not start: the old ones go on");
          break;
        }
        // It may have died meanwhile: then it is replaced already, and this one is too many.
        const leaving = running.has(old) ? old : worker;
        running.delete(leaving);
        const ended = endOf(leaving);
        leaving.send({ type: RETIRE }, ignoreEnded);
        await ended;
      }
    } finally {
      restarting = false;
    }
    log.info({ workers: [...running].map(({ id }) => id) }, "restarted");
  };

  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      all.map((worker) => {
        const ended = endOf(worker);
        worker.process.kill("SIGTERM");
        return ended;
      }),
    );
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop().catch(exit));
  process.on("SIGUSR2", () => restart().catch((err) => log.error({ err }, "not all workers were replaced")));

  if (METRICS_PORT !== undefined) {
    const { WorkerMetrics } = await import("#lib/metrics/workers.ts");
    // Whether a worker can serve, this process does not know.
    const others = { "/healthz": async () => health() };
    log.info(
      { port: await serveMetrics(new WorkerMetrics(), HOST, METRICS_PORT, others) },
      "metrics are served",
    );
  }
  const first = await start();
  if (!first) process.exit(stopping ? 0 : 1);
  for (let i = 1; i < WEB_CONCURRENCY && !stopping; i++) await start();
  log.info({ workers: running.size, pid: process.pid }, "all workers are ready");
}

/** A worker that has ended needs no message. */
function ignoreEnded(): void {}
