/**
 * Several processes that serve one port (`WEB_CONCURRENCY`): the workers. The first process serves no requests. It starts
 * and stops the workers, replaces one that dies, and counts the requests of callers for all of them.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pass } from "node:timers/promises";
import type { Logger } from "pino";
import { type RequestCounter, RequestCounts, type RequestsOfMinute } from "#lib/api/rate-limits.ts";
import type { Config } from "#lib/config.ts";
import { serveMetrics } from "#lib/metrics/serve.ts";
import { health } from "./health.ts";
import { exit } from "./stop.ts";

const SHARED = [
  "CACHE_MB",
  "MAX_CONNECTIONS",
  "MAX_CONCURRENT_REQUESTS",
  "MAX_CONCURRENT_PAGES",
  "MAX_EVENT_STREAMS",
] as const satisfies (keyof Config)[];

/** Milliseconds before a dead worker is replaced. The pause doubles with each death within SOON of the last one. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
const SOON = 60_000;
/** Milliseconds for a worker to exit after SHUTDOWN_SECONDS. */
const ENDING_MS = 5_000;

/** A message from a worker to the first process; `Counted` is the response. */
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
/** Tells a worker to stop because another one has replaced it. */
export const RETIRE = "aqs:retire";

const isOf = <Message extends { type: string }>(
  message: unknown,
  type: Message["type"],
): message is Message => typeof message === "object" && (message as Message | null)?.type === type;

/** Lets a worker count in the first process, so that a rate limit holds for all workers together. */
export class SharedRequestCounts implements RequestCounter {
  #nextId = 0;
  readonly #waiting = new Map<number, (minute: RequestsOfMinute) => void>();

  constructor() {
    process.on("message", (message) => {
      if (!isOf<Counted>(message, "aqs:counted")) return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Always resolves while the worker runs: a worker that loses the first process exits. */
  count(callerId: string, now: number): Promise<RequestsOfMinute> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#waiting.set(id, resolve);
      process.send!({ type: "aqs:count", id, callerId, now } satisfies CountRequest);
    });
  }
}

/**
 * Starts the workers and keeps them running. SIGTERM and SIGINT stop all of them, then the process exits with 0. SIGUSR2
 * replaces one after another while the others serve. If the first worker cannot start, the process exits.
 */
export async function superviseWorkers(config: Config, log: Logger): Promise<void> {
  const { HOST, WEB_CONCURRENCY, METRICS_PORT, SHUTDOWN_SECONDS } = config;
  const share = Object.fromEntries(
    SHARED.map((name) => [name, String(Math.ceil(config[name] / WEB_CONCURRENCY))]),
  );
  const counts = new RequestCounts();
  const running = new Set<Worker>();
  let stopping = false;

  /** Resolves when the worker has exited. Kills it if that takes too long. */
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

  /** Resolves to a worker once it listens; null if it has exited before, or if the system has no room for a process. */
  const start = async (): Promise<Worker | null> => {
    let worker: Worker;
    try {
      worker = cluster.fork({ ...share, WEB_CONCURRENCY: "1" });
      const listens = await Promise.race([
        once(worker, "listening").then(() => true),
        once(worker, "exit").then(() => false),
      ]);
      if (!listens) return null;
    } catch (err) {
      log.error({ err }, "a worker could not be started");
      return null;
    }
    running.add(worker);
    worker.once("exit", (code, signal) => {
      // A worker that is still in the set was not retired.
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
        // If the old worker died in the meantime, it is replaced already, and the new one is one too many.
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
    // One that could not be forked has no process.
    const all = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker?.process.pid !== undefined,
    ) as Worker[];
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
    // This process does not know whether a worker is ready, so `/readyz` is missing.
    const others = { "/healthz": async () => health() };
    log.info(
      { port: await serveMetrics(new WorkerMetrics(WEB_CONCURRENCY), HOST, METRICS_PORT, others) },
      "metrics are served",
    );
  }
  const first = await start();
  if (!first) process.exit(stopping ? 0 : 1);
  for (let i = 1; i < WEB_CONCURRENCY && !stopping; i++) {
    if (!(await start()) && !stopping) void replace({ starting: true });
  }
  const isWhole = running.size === WEB_CONCURRENCY;
  log.info(
    { workers: running.size, pid: process.pid },
    isWhole ? "all workers are ready" : "some workers are ready, the others start again",
  );
}

/** Ignores the failure to send a message to a worker that has exited. */
function ignoreEnded(): void {}
