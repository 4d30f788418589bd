import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import { ApiError, serverIsBusy } from "#lib/contract/errors.ts";
import type { EventData, EventName } from "#lib/contract/events.ts";
import {
  type ChainProgress,
  type History,
  isPositionAhead,
  type Queries,
  type Tip,
} from "#lib/store/store.ts";

/** Milliseconds between two looks at the store, for all streams together. */
const POLL_MS = 1_000;
/** A stream that says nothing else sends a comment so often, in polls: proxies close silent connections. */
const HEARTBEAT_POLLS = 15;
/** So often, in polls, each token is checked again: a stream outlives its token by this much at most. */
const TOKEN_CHECK_POLLS = 30;
/** Blocks that are read at once, with all addresses that they touch. */
const BATCH = 20;
/** Streams that catch up at once; each reads BATCH blocks before the next one's turn. */
const CATCHING_UP = 2;
/** As far back as a stream can resume, in blocks. */
const MAX_REPLAYED = 10_000;
/** Bytes that a stream's reader may leave unread; then it is cut. */
const MAX_UNREAD = 64 * 1024;
/** With as many unread, a stream leaves the others and catches up at its reader's speed. */
const MAX_LEAD = MAX_UNREAD / 4;
/** Milliseconds for the reader of a stream that catches up to take what it was sent. */
const READ_MS = 30_000;
/** Looks at a store that does not know the block yet, as a replica may that lags behind, before it is given up. */
const MAX_LOOKS_AHEAD = 30;
/** Streams that are written to before the event loop goes round. */
const SLICE = 250;

/** Where a stream's events are written. */
export interface Sink {
  write(text: string | Buffer): unknown;
  end(): unknown;
  destroy(): unknown;
  /** Bytes that are not taken yet. */
  readonly writableLength: number;
  once(event: "close" | "drain", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
}

/** What a request asks for. */
export interface Subscription {
  /** Identifies the token, and the token itself, which is checked again while the stream is open. */
  caller: string;
  token: string;
  /** Texts of the watched addresses by their keys. */
  addresses: ReadonlyMap<string, string>;
  /** The client's last id; undefined starts at the tip. */
  lastId: string | undefined;
}

interface Stream extends Pick<Subscription, "caller" | "addresses"> {
  sink: Sink;
  /** What its reader knows: the block after its last event. */
  head: Head;
  closed: boolean;
  /** How often its block was above what is indexed, and unknown. */
  looksAhead: number;
}

/** The newest block; null while nothing is indexed. */
type Head = Tip | null;

/** One change of the chain. */
interface Step {
  head: Head;
  text: Buffer;
  /** Sent before `text` to those who watch one of these addresses. */
  touched?: { keys: Set<string>; block: Tip };
}

/** What a hub needs of the service. */
interface Dependencies {
  store: History & Pick<Queries, "tip">;
  maxStreams: number;
  maxStreamsPerToken: number;
  isValid(token: string): Promise<boolean>;
  failed(error: unknown): void;
}

/**
 * Feeds all open streams of this process from one look at the store. It looks only while there are streams.
 *
 * A stream's id is the block that its reader has arrived at. Whoever resumes is led from there to the tip: down from
 * blocks that were taken back, as the store remembers them, and up again.
 */
export class EventHub {
  readonly #deps: Dependencies;
  readonly #pollMs: number;
  readonly #catchingUp = pLimit(CATCHING_UP);
  /** Streams that have all events so far. */
  readonly #live = new Set<Stream>();
  readonly #all = new Set<Stream>();
  readonly #tokens = new Map<string, { token: string; streams: number }>();
  /** Undefined until the first look. */
  #head: Head | undefined;
  #polling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #polls = 0;
  #looksAhead = 0;
  #isClosed = false;

  constructor(deps: Dependencies, { pollMs = POLL_MS } = {}) {
    this.#deps = deps;
    this.#pollMs = pollMs;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#all.size;
  }

  /** Throws TOO_MANY_REQUESTS or SERVICE_UNAVAILABLE if the token, or the server, has as many streams as it may. */
  admit(caller: string): void {
    if (this.#isClosed || this.#all.size >= this.#deps.maxStreams) throw serverIsBusy();
    if ((this.#tokens.get(caller)?.streams ?? 0) >= this.#deps.maxStreamsPerToken) {
      const message = `This token has ${this.#deps.maxStreamsPerToken} open streams already`;
      throw new ApiError("TOO_MANY_REQUESTS", [{ path: [], code: "too_many_streams", message }], {
        "Retry-After": "10",
      });
    }
  }

  /** Writes events into the sink until either side ends. Throws as `admit` does. */
  open({ caller, token, addresses, lastId }: Subscription, sink: Sink): void {
    this.admit(caller);
    const stream: Stream = { caller, addresses, sink, head: null, closed: false, looksAhead: 0 };
    this.#all.add(stream);
    const known = this.#tokens.get(caller);
    if (known) known.streams += 1;
    else this.#tokens.set(caller, { token, streams: 1 });
    sink.once("close", () => this.#forget(stream));
    this.#timer ??= setInterval(() => void this.#tick(), this.#pollMs).unref();
    void this.#begin(stream, lastId);
  }

  /** Ends all streams; no further ones are opened. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#all) this.#end(stream);
  }

  #end(stream: Stream): void {
    this.#forget(stream);
    stream.sink.end();
  }

  #forget(stream: Stream): void {
    stream.closed = true;
    this.#live.delete(stream);
    if (!this.#all.delete(stream)) return;
    const known = this.#tokens.get(stream.caller)!;
    known.streams -= 1;
    if (known.streams === 0) this.#tokens.delete(stream.caller);
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    // Nobody follows any more: the next stream begins with a new look.
    this.#head = undefined;
  }

  async #begin(stream: Stream, lastId: string | undefined): Promise<void> {
    // Clients wait this long before they connect again.
    this.#write(stream, "retry: 2000\n\n");
    await this.#patiently(stream, () => this.#poll());
    if (stream.closed) return;
    if (lastId === undefined) {
      stream.head = this.#head ?? null;
      this.#write(stream, message("start", stream.head, placeOf(stream.head)));
      this.#live.add(stream);
      return;
    }
    const head = parseId(lastId);
    if (head === undefined) this.#reset(stream, "The last event id is none of this service");
    else stream.head = head;
    await this.#catchUp(stream);
  }

  /** Leads the stream from where it is to where all others are, and makes it one of them. */
  async #catchUp(stream: Stream): Promise<void> {
    for (let replayed = 0; !stream.closed && !isSame(stream.head, this.#head); ) {
      if (replayed >= MAX_REPLAYED) {
        this.#reset(stream, `More than ${MAX_REPLAYED} blocks came since the last event`);
        continue;
      }
      const steps = await this.#patiently(stream, () =>
        this.#catchingUp(() => this.#stepsFrom(stream.head, stream.addresses.size > 0)),
      );
      if (stream.closed) return;
      if (!steps) continue;
      for (const step of steps) this.#send(stream, step);
      replayed += steps.length;
      // The store may be ahead of the last look.
      if (steps.length === 0) await this.#patiently(stream, () => this.#poll());
      await this.#taken(stream);
    }
    if (!stream.closed) this.#live.add(stream);
  }

  /** Tries again while the store does not answer. Undefined if the stream ends first. */
  async #patiently<T>(stream: Stream, work: () => Promise<T>): Promise<T | undefined> {
    while (!stream.closed) {
      try {
        return await work();
      } catch (error) {
        if (!isPositionAhead(error)) this.#failed(error);
        else if (++stream.looksAhead > MAX_LOOKS_AHEAD) {
          this.#reset(stream, UNKNOWN);
          return undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, this.#pollMs).unref());
      }
    }
    return undefined;
  }

  /** Waits until the reader has taken what was written; cuts one that takes too long. */
  async #taken({ sink }: Stream): Promise<void> {
    if (sink.writableLength === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => sink.destroy(), READ_MS).unref();
      const done = () => {
        clearTimeout(timer);
        sink.off("drain", done);
        sink.off("close", done);
        resolve();
      };
      sink.once("drain", done);
      sink.once("close", done);
      // No drain follows if little was written.
      if (sink.writableLength < MAX_LEAD) setImmediate(done);
    });
  }

  async #tick(): Promise<void> {
    this.#polls += 1;
    let place = 0;
    // A part of the streams each time, so that thousands are not written to at once.
    for (const stream of this.#all) {
      if (place++ % HEARTBEAT_POLLS === this.#polls % HEARTBEAT_POLLS) this.#write(stream, ":\n\n");
    }
    try {
      await this.#poll();
      if (this.#polls % TOKEN_CHECK_POLLS === 0) await this.#checkTokens();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The store may be closed before the last look at it ends: nobody waits for that look any more. */
  #failed(error: unknown): void {
    if (!this.#isClosed) this.#deps.failed(error);
  }

  async #checkTokens(): Promise<void> {
    for (const [caller, { token }] of [...this.#tokens]) {
      if (await this.#deps.isValid(token)) continue;
      for (const stream of this.#all) if (stream.caller === caller) this.#end(stream);
    }
  }

  /** Looks at the store, and sends what happened to all streams. Concurrent calls share one look. */
  #poll(): Promise<void> {
    this.#polling ??= this.#look().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async #look(): Promise<void> {
    const tip = await this.#deps.store.tip();
    if (this.#head === undefined) {
      this.#head = tip;
      return;
    }
    while (this.#head !== undefined) {
      // What nobody watches need not be read.
      const steps = await this.#stepsFrom(this.#head, this.#someoneWatches()).catch((error) => {
        if (!isPositionAhead(error)) throw error;
        // A replica that lags behind another, or a database that was put back.
        return ++this.#looksAhead > MAX_LOOKS_AHEAD ? [resetTo(tip)] : [];
      });
      if (steps.length === 0) return;
      this.#looksAhead = 0;
      for (const step of steps) await this.#broadcast(step);
    }
  }

  #someoneWatches(): boolean {
    for (const { addresses } of this.#live) if (addresses.size > 0) return true;
    return false;
  }

  /** A stream that joins meanwhile has the step already: it arrives at the head that is set first. */
  async #broadcast(step: Step): Promise<void> {
    const streams = [...this.#live];
    this.#head = step.head;
    for (const [place, stream] of streams.entries()) {
      const { closed, sink } = stream;
      if (sink.writableLength > MAX_LEAD && sink.writableLength <= MAX_UNREAD) this.#fallBehind(stream);
      else if (!closed) this.#send(stream, step);
      if (place % SLICE === SLICE - 1) await nextTurn();
    }
  }

  /** An index that catches up says more at once than a reader takes. */
  #fallBehind(stream: Stream): void {
    this.#live.delete(stream);
    void this.#taken(stream).then(() => this.#catchUp(stream));
  }

  /** The next changes after `head`, in order; none if it is the tip. */
  async #stepsFrom(head: Head, withAddresses: boolean): Promise<Step[]> {
    const { store } = this.#deps;
    return stepsOf(await store.progressSince(head, { limit: BATCH, withAddresses }));
  }

  #send(stream: Stream, { head, text, touched }: Step): void {
    if (touched) {
      for (const [key, address] of stream.addresses) {
        if (touched.keys.has(key))
          this.#write(stream, message("address", undefined, { address, ...touched.block }));
      }
    }
    this.#write(stream, text);
    stream.head = head;
  }

  /** The stream goes on from where all others are. */
  #reset(stream: Stream, reason: string): void {
    const head = this.#head ?? null;
    this.#write(stream, message("reset", head, { ...placeOf(head), reason }));
    stream.head = head;
  }

  #write(stream: Stream, text: string | Buffer): void {
    if (stream.closed) return;
    if (stream.sink.writableLength > MAX_UNREAD) {
      this.#forget(stream);
      stream.sink.destroy();
      return;
    }
    stream.sink.write(text);
  }
}

function stepsOf({ tip, removed, added }: ChainProgress): Step[] {
  if (removed === null) return [resetTo(tip)];
  const down = removed.map(({ height, hash, parentHash }): Step => {
    const head = { height: height - 1, hash: parentHash };
    return { head, text: buffer("block-removed", head, { height, hash }) };
  });
  const up = added.map(({ height, hash, parentHash, timestamp, touched }): Step => {
    const block = { height, hash };
    const data = { ...block, parentHash, time: new Date(timestamp).toISOString() };
    return { head: block, text: buffer("block", block, data), touched: { keys: new Set(touched), block } };
  });
  return [...down, ...up];
}

const UNKNOWN = "The block of the last event is not known here";
const resetTo = (head: Head): Step => ({
  head,
  text: buffer("reset", head, { ...placeOf(head), reason: UNKNOWN }),
});

const placeOf = (head: Head) => ({ height: head?.height ?? null, hash: head?.hash ?? null });

const isSame = (one: Head, other: Head | undefined): boolean =>
  other !== undefined && one?.height === other?.height && one?.hash === other?.hash;

const NOTHING = "none";

/** An event as it is sent; without a head it has no id: the reader has not arrived anywhere new. */
function message<Name extends EventName>(name: Name, head: Head | undefined, data: EventData<Name>): string {
  const id = head === undefined ? "" : `id: ${head ? `${head.height}-${head.hash}` : NOTHING}\n`;
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The same for many readers. */
function buffer<Name extends EventName>(name: Name, head: Head, data: EventData<Name>): Buffer {
  return Buffer.from(message(name, head, data));
}

/** Undefined if it is not an id of an event. */
function parseId(id: string): Head | undefined {
  if (id === NOTHING) return null;
  const [, height, hash = ""] = /^(\d{1,15})-(0x[\da-f]{64})$/.exec(id) ?? [];
  return height === undefined ? undefined : { height: Number(height), hash };
}
