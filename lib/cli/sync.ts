import { chain } from "#lib/chains/chain.ts";
import { readConfig } from "#lib/config.ts";
import { readInput } from "#lib/indexer/input.ts";
import { PriceFeed } from "#lib/indexer/price-feed.ts";
import { parseAssetId } from "#lib/indexer/prices.ts";
import { isInterruption, Retry, sleep } from "#lib/indexer/retry.ts";
import { CACHE_MB, MAX_REORGANISATION, type Progress, sync } from "#lib/indexer/sync.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { requirePorts } from "#lib/util/free-port.ts";
import {
  closing,
  command,
  report,
  showStatus,
  UsageError,
  wholeNumber,
  withNewStore,
  withSignals,
  withSyncLock,
  wrong,
} from "./command.ts";
import { httpUrl, NODE_HELP, nodeOptions, readNodeUrl } from "./node-url.ts";

/** Time between progress lines in a pipe, in milliseconds. */
const LINE_EVERY = 10_000;
const BAR_EVERY = 200;
const BAR_WIDTH = 24;
const MAX_COOKIE_BYTES = 10_000;
/** Time between two looks whether prices are due, in milliseconds. */
const ASK_EVERY = 5_000;

/** Time to end after a signal, in milliseconds. Supervisors kill processes after 10 to 90 seconds. */
const END_WITHIN = 10_000;
const OVERDUE =
  `The database did not answer within ${END_WITHIN / 1000} s of the stop signal: the transaction ` +
  "under way is abandoned, and stored blocks are kept";

/** The asset ids by the keys of the price source. */
function priceNames(pairs: string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const pair of pairs) {
    const [name, id = "", ...rest] = pair.split("=");
    const assetId = parseAssetId(id);
    if (!name || assetId === null || rest.length > 0) throw wrong("--price-key", "NAME=ASSET_ID", pair);
    const fault = chain.assetIdFault(assetId);
    if (fault !== null) throw new UsageError(`--price-key ${pair}: the id ${fault}`);
    if (names.has(name))
      throw new UsageError(`--price-key ${pair}: ${name} already stands for ${names.get(name)}`);
    names.set(name, assetId);
  }
  return names;
}

const { needsForEarlier } = chain.node;
const earlier = needsForEarlier && `; above 0, it needs ${needsForEarlier}`;

export const syncChain = command({
  usage:
    "sync [--rpc URL] [--from HEIGHT] [--history BLOCKS] [--once] [--prices URL --price-key NAME=ASSET…]",
  summary: `Follow a ${chain.terms.chain} node through reorganisations. Resumes where the last run stopped.`,
  details: `${NODE_HELP}
  --from HEIGHT             the first block to store in an empty database (default 0)${earlier}
  --history BLOCKS          keep spent outputs for this many blocks below the tip, at least as many as a reorganisation may
                            revert. Removed outputs do not come back
  --once                    stop at the node's tip
  --max-reorganisation N    how many blocks a reorganisation may revert (default ${MAX_REORGANISATION}, or half of --history if that is less)
  --prices URL              load prices from this source every minute (CoinGecko's simple-price format)
  --price-key NAME=ASSET    the id of the asset for the source's key NAME; may be repeated. Other keys are ignored

On SIGTERM or Ctrl-C, sync finishes the current transaction and exits with code 0. If the database does not answer within
${END_WITHIN / 1000} seconds, the transaction is abandoned, and the exit code is 1.`,
  options: {
    ...nodeOptions,
    from: { type: "string" },
    history: { type: "string" },
    once: { type: "boolean" },
    "max-reorganisation": { type: "string" },
    prices: { type: "string" },
    "price-key": { type: "string", multiple: true, default: [] },
  },
  async run(values) {
    const rpc = await readNodeUrl(values);
    if (rpc === undefined) throw new UsageError("sync needs --rpc, --rpc-file or RPC_URL");
    const cookie = values["rpc-cookie"];
    // A node that is about to start may still write it, but with --once it must be there.
    if (values.once && cookie !== undefined) await readInput(cookie, MAX_COOKIE_BYTES);
    const from = wholeNumber("--from", values.from);
    const maxReorganisation = wholeNumber("--max-reorganisation", values["max-reorganisation"]);
    const history = wholeNumber("--history", values.history);
    if (history !== undefined && history < (maxReorganisation ?? 0)) {
      throw new UsageError(
        `--history ${history} is too short: a reorganisation may revert ${maxReorganisation} blocks (--max-reorganisation), and needs what they spent`,
      );
    }
    if (history !== undefined && history < 2 && maxReorganisation === undefined) {
      throw new UsageError(
        `--history ${history} is too short: a reorganisation may revert half as many blocks, so none could be reverted`,
      );
    }
    const names = priceNames(values["price-key"]);
    if (values.prices !== undefined && names.size === 0) {
      throw new UsageError("--prices needs --price-key for each asset whose price is wanted");
    }
    if (values.prices === undefined && names.size > 0) throw new UsageError("--price-key needs --prices");
    const feedUrl = values.prices === undefined ? null : httpUrl("--prices", values.prices);

    const stop = new AbortController();
    const overdue = Promise.withResolvers<never>();
    let endTimer: NodeJS.Timeout | undefined;
    const onSignal = () => {
      stop.abort();
      endTimer ??= setTimeout(() => overdue.reject(new Error(OVERDUE)), END_WITHIN);
    };
    const display = new Display();
    const log = (message: string) => display.log(message);
    const feed = feedUrl === null ? null : new PriceFeed(feedUrl, names, log, stop.signal);
    const metrics = await startMetrics(feed);

    const follow = (store: Store) => {
      metrics?.follow(store);
      return closing(chain.node.connect(rpc, { signal: stop.signal, cookie }), async (node) => {
        const between = async () => feed?.deliver(Date.now(), (prices) => store.write(loadPrices, prices));
        const progress = await sync(store, node, {
          from,
          maxReorganisation,
          history,
          once: values.once,
          signal: stop.signal,
          log,
          onProgress: (progress) => {
            metrics?.progress(progress);
            display.show(progress);
          },
          onTips: metrics?.tips,
          onReorganisation: (depth) => metrics?.reorganised(depth),
          onOutage: metrics?.waitsFor,
          between,
        });
        if (values.once && !stop.signal.aborted) {
          await feed?.settled();
          await between();
        }
        display.end(progress);
      });
    };

    const retry = new Retry({ signal: stop.signal, sleep, log, onOutage: metrics?.waitsFor });
    const trying = retry.run.bind(retry);
    const followed = () =>
      withNewStore((store) => withSyncLock(store, () => follow(store), trying), trying, {
        cacheMb: CACHE_MB,
      });
    // A node or a database that is away for hours leaves no gap in the prices.
    const feedTimer = feed && setInterval(() => feed.request(Date.now()), ASK_EVERY);
    try {
      await withSignals(onSignal, () => Promise.race([followed(), overdue.promise]));
    } catch (error) {
      if (!stop.signal.aborted || !isInterruption(error)) throw error;
    } finally {
      clearInterval(feedTimer ?? undefined);
      clearTimeout(endTimer);
    }
  },
});

/** Resolves to null unless the setting SYNC_METRICS_PORT is given. */
async function startMetrics(feed: PriceFeed | null) {
  const { HOST, SYNC_METRICS_PORT } = readConfig();
  if (SYNC_METRICS_PORT === undefined) return null;
  await requirePorts(HOST, { SYNC_METRICS_PORT });
  const [{ createSyncMetrics }, { serveMetrics }] = await Promise.all([
    import("./sync-metrics.ts"),
    import("#lib/metrics/serve.ts"),
  ]);
  const metrics = createSyncMetrics({ isPriceFeedFailing: () => feed?.isFailing ?? false });
  await serveMetrics(metrics.registry, HOST, SYNC_METRICS_PORT);
  return metrics;
}

/** A progress bar in a terminal, regular lines in a pipe. */
class Display {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #began = Date.now();
  #shownAt = 0;

  log(message: string): void {
    this.#clear();
    report(`${new Date().toISOString()} ${message}`);
  }

  show(progress: Progress): void {
    const now = Date.now();
    if (Math.abs(now - this.#shownAt) < (this.#isTerminal ? BAR_EVERY : LINE_EVERY)) return;
    this.#shownAt = now;
    const text = this.#describe(progress, now);
    if (this.#isTerminal) showStatus(text);
    else report(`${new Date(now).toISOString()} ${text}`);
  }

  #describe({ storedHeight: height, nodeHeight, blocks }: Progress, now: number): string {
    const perSecond = blocks / Math.max(0.001, (now - this.#began) / 1000);
    const left = Math.max(0, nodeHeight - height);
    const done = blocks + left === 0 ? 1 : blocks / (blocks + left);
    const filled = Math.round(done * BAR_WIDTH);
    const bar = this.#isTerminal ? `[${"█".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}] ` : "";
    const remaining = left === 0 ? "at the tip" : `${duration(left / Math.max(perSecond, 0.001))} left`;
    return `${bar}block ${height} of ${nodeHeight}, ${perSecond.toFixed(0)} blocks/s, ${remaining}`;
  }

  end({ height, blocks }: Progress): void {
    this.#clear();
    const seconds = ((Date.now() - this.#began) / 1000).toFixed(1);
    const tip = height < 0 ? "nothing is indexed yet" : `the tip is block ${height}`;
    report(`${blocks} blocks stored in ${seconds} s; ${tip}.`);
  }

  #clear(): void {
    if (this.#isTerminal) showStatus("");
  }
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
