import { LRUCache } from "lru-cache";
import { serverIsBusy } from "#lib/contract/errors.ts";
import type { EventData, EventName } from "#lib/contract/events.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { type ChainProgress, chainProgress, type TouchedBy } from "#lib/queries/chain-progress.ts";
import { isPositionAhead } from "#lib/store/errors.ts";
import { type Tip, TRACED_BLOCKS } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import type { Streams } from "./streams.ts";
import type { EventLoopTicks, WorkQueue } from "./work-queue.ts";

/** Milliseconds between two polls of the store, for all streams together. */
const POLL_MS = 1_000;
/** Polls after which a silent stream sends a comment, because proxies close silent connections. */
const HEARTBEAT_POLLS = 15;
const BATCH = 5;
/** Streams that send a step in one event-loop tick. */
const SENT_PER_TICK = 50;
/** Address keys and transactions in all cached steps. A step itself counts as ten. */
const MAX_CACHED_KEYS = 100_000;
const KEYS_OF_STEP = 10;
/** Polls of a store that does not have the block yet, such as a lagging replica. */
const MAX_POLLS_AHEAD = 30;
/** Time before clients reconnect. */
const RETRY_MS = 2_000;

export interface Subscription {
  /** The token's id. */
  caller: string;
  token: string;
  /** Texts of the watched addresses, by key. */
  addresses: ReadonlyMap<string, string>;
  /** The client's last event id; undefined starts at the tip. */
  lastId: string | undefined;
}

/** The newest block; null while nothing is indexed. */
type Head = Tip | null;

interface Step {
  head: Head;
  text: string;
  /** The block that was added or removed; null if what happened is unknown. */
  block: Tip | null;
  /** The addresses that it touched, by key, and by which transactions, if that is known; null if they were not read. */
  touched: ReadonlyMap<string, TouchedBy | undefined> | null;
}

interface Dependencies {
  store: Pick<Store, "query">;
  streams: Streams;
  ticks: EventLoopTicks;
  workQueue: WorkQueue;
  failed(error: unknown): void;
}

/**
 * Feeds all event streams of this process. It polls the store only while there are streams.
 *
 * The id of an event is the block that its reader has reached. From there each stream proceeds to the newest block step by
 * step: down from blocks that were removed, and up again. All streams share a cache of recent steps.
 */
export class EventHub {
  readonly #deps: Dependencies;
  readonly #pollMs: number;
  /**
   * Steps by the id of the head that they start from. A new step drops the one that starts at its end, so steps never form
   * a cycle, however often the chain is reorganised.
   */
  readonly #steps = new LRUCache<string, Step>({
    maxSize: MAX_CACHED_KEYS,
    sizeCalculation: ({ touched }) =>
      [...(touched?.values() ?? [])].reduce(
        (size, by) => size + 1 + (by?.transactions.length ?? 0),
        KEYS_OF_STEP,
      ),
  });
  /** The block that the hub has reached; undefined until the first poll. */
  #head: Head | undefined;
  #streams = 0;
  /** Streams that watch addresses. */
  #watching = 0;
  /** Streams that have sent all events so far, and the poll that wakes them at the latest. */
  readonly #waiting = new Map<AbortSignal, { wake: () => void; until: number }>();
  #polls = 0;
  #isPolling = false;
  #pollsAhead = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: Dependencies, { pollMs = POLL_MS } = {}) {
    this.#deps = deps;
    this.#pollMs = pollMs;
  }

  /** The events of a stream, as text. Throws as `Streams.open` does. */
  open({ caller, token, ...wanted }: Subscription): AsyncIterator<string> {
    if (this.#isClosed) throw serverIsBusy();
    const watching = wanted.addresses.size > 0 ? 1 : 0;
    return this.#deps.streams.open(caller, token, (signal) => {
      this.#count(1, watching);
      signal.addEventListener("abort", () => {
        this.#count(-1, -watching);
        this.#waiting.get(signal)?.wake();
      });
      return this.#events(wanted, signal);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #count(streams: number, watching: number): void {
    this.#streams += streams;
    this.#watching += watching;
    if (this.#streams === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#head = undefined;
      this.#steps.clear();
    } else if (!this.#timer) {
      this.#timer = setInterval(() => this.#tick(), this.#pollMs).unref();
      void this.#poll();
    }
  }

  async *#events(
    { addresses, lastId }: Pick<Subscription, "addresses" | "lastId">,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    yield `retry: ${RETRY_MS}\n\n`;
    const isOver = () => signal.aborted || this.#isClosed;
    while (this.#head === undefined) {
      if (isOver()) return;
      await this.#news(signal, 1);
    }
    let head = lastId === undefined ? undefined : parseId(lastId);
    if (head === undefined) {
      head = this.#head;
      if (lastId === undefined) yield message("start", head, placeOf(head));
      else yield resetTo(head, "The last event id was not issued by this service").text;
    }
    for (let pollsAhead = 0; !isOver(); ) {
      if (isSame(head, this.#head)) {
        // The random part spreads the heartbeats of many streams.
        await this.#news(signal, HEARTBEAT_POLLS * (1 - Math.random() / 4));
        if (isSame(head, this.#head) && !isOver()) yield ":\n\n";
        continue;
      }
      let step: Step | undefined;
      try {
        step = await this.#stepAfter(head, addresses.size > 0);
      } catch (error) {
        if (!isPositionAhead(error)) this.#failed(error);
        else if (++pollsAhead > MAX_POLLS_AHEAD) step = resetTo(this.#head ?? null, UNKNOWN);
      }
      if (!step) {
        // The store is unavailable, ahead of the last poll, or behind this reader.
        await this.#news(signal, 1);
        continue;
      }
      await this.#deps.ticks.yieldIfDue(SENT_PER_TICK);
      if (isOver()) return;
      yield textFor(addresses, step);
      head = step.head;
    }
  }

  #tick(): void {
    this.#polls += 1;
    this.#wake(this.#polls);
    void this.#poll();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (let next: Head | undefined = await this.#next(); next !== undefined; next = await this.#next()) {
        if (this.#streams === 0) return;
        this.#head = next;
        this.#wake();
      }
    } catch (error) {
      if (!isPositionAhead(error)) this.#failed(error);
    } finally {
      this.#isPolling = false;
    }
  }

  /** The head after the next step; undefined if the hub is at the tip. */
  async #next(): Promise<Head | undefined> {
    const { store } = this.#deps;
    if (this.#head === undefined) return store.query(chainTip);
    try {
      const step = await this.#stepAfter(this.#head, this.#watching > 0);
      this.#pollsAhead = 0;
      return step?.head;
    } catch (error) {
      // The replica lags behind another one, or the database was restored from a backup.
      if (!isPositionAhead(error) || ++this.#pollsAhead <= MAX_POLLS_AHEAD) throw error;
      const step = resetTo(await store.query(chainTip), UNKNOWN);
      this.#cache(this.#head, [step]);
      return step.head;
    }
  }

  #wake(until = Number.POSITIVE_INFINITY): void {
    for (const waiting of this.#waiting.values()) if (waiting.until <= until) waiting.wake();
  }

  /** Resolves when the chain has changed or the stream has ended, and after `polls` polls at the latest. */
  #news(signal: AbortSignal, polls: number): Promise<void> {
    // An ended stream may have been the last one, and then no poll comes.
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(signal);
        resolve();
      };
      this.#waiting.set(signal, { wake, until: this.#polls + polls });
    });
  }

  /** The next change after `head`; undefined if the store has none. Throws PositionAheadError as the store does. */
  async #stepAfter(head: Head, withAddresses: boolean): Promise<Step | undefined> {
    const cached = () => {
      const step = this.#steps.get(idOf(head));
      return step?.touched !== null || !withAddresses ? step : undefined;
    };
    const step = cached();
    if (step) return step;
    const newest = this.#head;
    if (newest !== undefined && Math.abs(heightOf(newest) - heightOf(head)) > TRACED_BLOCKS) {
      return resetTo(newest, `More than ${TRACED_BLOCKS} blocks lie between the last event and the tip`);
    }
    const { workQueue, store } = this.#deps;
    return workQueue.runPiece(async () => {
      const read = cached();
      if (read) return read;
      const { tip, removed, added } = await store.query(chainProgress, {
        block: head,
        limit: BATCH,
        withAddresses,
      });
      if (removed === null) return resetTo(tip, UNKNOWN);
      const steps = stepsOf(removed, added, withAddresses);
      this.#cache(head, steps);
      return steps[0];
    });
  }

  #cache(head: Head, steps: Step[]): void {
    for (const step of steps) {
      const opposite = this.#steps.peek(idOf(step.head));
      // The store keeps no transactions of a removed block, but its addition may have named them.
      if (step.touched && opposite?.touched && opposite.block?.hash === step.block?.hash)
        step.touched = opposite.touched;
      this.#steps.delete(idOf(step.head));
    }
    // Last step first: the cache evicts the step that is needed first last.
    for (let at = steps.length - 1; at >= 0; at--) {
      this.#steps.set(idOf(at === 0 ? head : steps[at - 1]!.head), steps[at]!);
    }
  }

  /** Ignores failures after `close`: the store may be closed before the last poll ends. */
  #failed(error: unknown): void {
    if (!this.#isClosed) this.#deps.failed(error);
  }
}

function stepsOf(
  removed: NonNullable<ChainProgress["removed"]>,
  added: ChainProgress["added"],
  withAddresses: boolean,
): Step[] {
  const byKey = (touched: ChainProgress["added"][number]["touched"]) =>
    withAddresses ? new Map(touched.map(({ key, by }) => [key, by])) : null;
  const down = removed.map(({ height, hash, parentHash, touched }): Step => {
    const head = { height: height - 1, hash: parentHash };
    const block = { height, hash };
    const text = message("block-removed", head, { ...block, parentHash });
    return { head, text, block, touched: byKey(touched) };
  });
  const up = added.map(({ height, hash, parentHash, timestamp, touched }): Step => {
    const block = { height, hash };
    const data = { ...block, parentHash, time: new Date(timestamp).toISOString() };
    return { head: block, text: message("block", block, data), block, touched: byKey(touched) };
  });
  return [...down, ...up];
}

const UNKNOWN = "The block of the last event is not known here";
const resetTo = (head: Head, reason: string): Step => ({
  head,
  text: message("reset", head, { ...placeOf(head), reason }),
  block: null,
  touched: new Map(),
});

const placeOf = (head: Head) => ({ height: head?.height ?? null, hash: head?.hash ?? null });
const heightOf = (head: Head): number => head?.height ?? -1;

const isSame = (one: Head, other: Head | undefined): boolean =>
  other !== undefined && idOf(one) === idOf(other);

const NOTHING = "none";
const idOf = (head: Head): string => (head ? `${head.height}-${head.hash}` : NOTHING);

function parseId(id: string): Head | undefined {
  if (id === NOTHING) return null;
  const [, height, hash = ""] = /^(\d{1,15})-(0x[\da-f]{64})$/.exec(id) ?? [];
  return height === undefined ? undefined : { height: Number(height), hash };
}

/** The text of an event. Without a head it has no id, because its reader has not reached a new block. */
function message<Name extends EventName>(
  type: Name,
  head: Head | undefined,
  data: Omit<EventData<Name>, "type">,
): string {
  const id = head === undefined ? "" : `id: ${idOf(head)}\n`;
  return `${id}event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** The step's event, after one for each watched address that it touches. */
function textFor(addresses: Subscription["addresses"], { text, block, touched }: Step): string {
  const changed = block ? Array.from(addresses).filter(([key]) => touched?.has(key)) : [];
  const events = changed.map(([key, address]) =>
    message("address", undefined, { address, ...block!, ...touched!.get(key) }),
  );
  return events.join("") + text;
}
