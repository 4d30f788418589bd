import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { chainProgress, type ProgressQuery } from "#lib/queries/chain-progress.ts";
import { isUnavailable } from "#lib/store/errors.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { at, hashOf, identity, keyOf, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { queryStub } from "#lib/testing/query-stub.ts";
import { EventHub } from "./event-hub.ts";
import { Streams } from "./streams.ts";
import { EventLoopTicks, WorkQueue } from "./work-queue.ts";

interface Received {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into data of every event
  data: any;
}

/** A reader of a stream, which may stop taking what it is sent. */
class Reader {
  text = "";
  ended = false;
  readonly #pieces: AsyncIterator<string>;
  #gate = Promise.resolve();
  #arrived = Promise.withResolvers<void>();

  constructor(pieces: AsyncIterator<string>) {
    this.#pieces = pieces;
    void this.#read();
  }

  async #read(): Promise<void> {
    for (;;) {
      await this.#gate;
      const { done, value } = await this.#pieces.next();
      if (done) break;
      this.text += value;
      this.#notify();
    }
    this.ended = true;
    this.#notify();
  }

  #notify(): void {
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  /** Takes one more piece, and then nothing until the returned function is called. */
  pause(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }

  leave(): void {
    void this.#pieces.return!();
  }

  get events(): Received[] {
    return this.text.split("\n\n").flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const event = field("event");
      return event ? [{ id: field("id"), event, data: JSON.parse(field("data")!) }] : [];
    });
  }

  /** Resolves when something more has arrived. */
  more(): Promise<void> {
    return this.#arrived.promise;
  }

  /** Resolves when what was received satisfies the condition. */
  async until(isEnough: (events: Received[]) => boolean): Promise<Received[]> {
    while (!isEnough(this.events)) await this.more();
    return this.events;
  }
}

const ends = (name: string, hash: string) => (events: Received[]) =>
  events.at(-1)?.event === name && events.at(-1)?.data.hash === hash;

describe.each(engines)("events from $name", ({ open }) => {
  let store: Store;
  let hub: EventHub;
  let ledger: Ledger;
  const hubs: EventHub[] = [];

  beforeEach(async () => {
    store = await open();
    hub = newHub();
    ledger = new Ledger();
  });
  afterEach(async () => {
    for (const each of hubs.splice(0)) each.close();
    await store.close();
  });

  function newHub(parts = {}, pollMs = 5): EventHub {
    // If a store does not respond in time, the hub reads again; any other error is a fault.
    const failed = (error: unknown) => {
      if (!isUnavailable(error)) throw error;
    };
    const streams = new Streams({
      maxStreams: 100,
      maxStreamsPerToken: 100,
      isValid: async () => true,
      failed,
    });
    const ticks = new EventLoopTicks();
    const queue = new WorkQueue(4, ticks);
    const made = new EventHub({ store, streams, ticks, workQueue: queue, failed, ...parts }, { pollMs });
    hubs.push(made);
    return made;
  }

  function follow(names: string[] = [], lastId?: string): Reader {
    const addresses = new Map(names.map((name) => [keyOf(name), name]));
    return new Reader(hub.open({ caller: "c", token: "t", addresses, lastId }));
  }

  async function feed(...blocks: Block[]): Promise<void> {
    await store.write(identify, identity);
    await storeBlocks(store, blocks);
  }

  /** The fields that name these transactions of a block. */
  const by = ({ transactions }: Block, ...which: number[]) => ({
    transactions: which.map((n) => transactions[n]!.hash),
    transactionCount: which.length,
  });
  const idOf = (block: Block) => `${block.height}-${block.hash}`;
  const grow = (to = "ann") => ledger.block([{ create: [{ to }] }]);

  test("begin with the tip, then name added blocks and the watched addresses that they change", async () => {
    const first = grow();
    await feed(first);
    const [watching, plain] = [follow(["ann", "bob"]), follow()];
    await watching.until((events) => events.length === 1);
    await plain.until((events) => events.length === 1);
    const spending = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "carl" }] }]);
    const other = grow("carl");
    await feed(spending, other);
    const { height, hash } = spending;
    const block = ({ height, hash, parentHash, timestamp }: Block): Received => ({
      id: `${height}-${hash}`,
      event: "block",
      data: { type: "block", height, hash, parentHash, time: new Date(timestamp).toISOString() },
    });
    const start = { id: idOf(first), event: "start", data: { type: "start", height: 0, hash: first.hash } };
    expect(await watching.until(ends("block", other.hash))).toEqual([
      start,
      {
        id: undefined,
        event: "address",
        data: { type: "address", address: "ann", height, hash, ...by(spending, 0) },
      },
      block(spending),
      block(other),
    ]);
    expect(await plain.until(ends("block", other.hash))).toEqual([start, block(spending), block(other)]);
  });

  test("begin before the first block of an empty index", async () => {
    const reader = follow();
    const [start] = await reader.until((events) => events.length === 1);
    expect(start).toEqual({ id: "none", event: "start", data: { type: "start", height: null, hash: null } });
    const first = grow();
    await feed(first);
    await reader.until(ends("block", first.hash));
    const again = follow([], "none");
    expect((await again.until(ends("block", first.hash))).map(({ event }) => event)).toEqual(["block"]);
  });

  test("remove blocks from the top with what they changed, then name those that replaced them", async () => {
    await feed(grow(), grow("carl"), grow());
    const reader = follow(["ann"]);
    await reader.until((events) => events.length === 1);
    const old = ledger.blocks.slice(1).toReversed();
    const branch = ledger.fork(0, "branch");
    const added = [branch.block([{ create: [{ to: "bob" }] }]), branch.block([{ create: [{ to: "ann" }] }])];
    await store.atomically(async () => {
      await store.write(revertTo, 0);
      await feed(...added);
    });
    const events = await reader.until(ends("block", added[1]!.hash));
    const seen = events.slice(1).map(({ id, event, data }) => [event, data.height, data.hash, id]);
    expect(seen).toEqual([
      ["address", 2, old[0]!.hash, undefined],
      ["block-removed", 2, old[0]!.hash, idOf(old[1]!)],
      ["block-removed", 1, old[1]!.hash, idOf(ledger.blocks[0]!)],
      ["block", 1, added[0]!.hash, idOf(added[0]!)],
      ["address", 2, added[1]!.hash, undefined],
      ["block", 2, added[1]!.hash, idOf(added[1]!)],
    ]);
    const removed = events.filter(({ event }) => event === "block-removed");
    expect(removed.map(({ data }) => data.parentHash)).toEqual([old[1]!.hash, ledger.blocks[0]!.hash]);
  });

  test("name the transactions that changed an address: the first 20, and how many there are", async () => {
    const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }, { to: "ann" }] }]);
    await feed(first);
    const reader = follow(["ann", "bob"]);
    await reader.until((events) => events.length === 1);
    const pays = Array.from({ length: 30 }, () => ({ create: [{ to: "ann" }] }));
    const spends = { spend: [at(first, 0, 0), at(first, 0, 2)], create: [{ to: "ann" }, { to: "bob" }] };
    const busy = ledger.block([{ create: [{ to: "carl" }] }, spends, ...pays, { spend: [at(first, 0, 1)] }]);
    await feed(busy);
    const events = await reader.until(ends("block", busy.hash));
    const named = Array.from({ length: 20 }, (_, n) => n + 1);
    expect(events.slice(1, -1).map(({ data }) => data)).toMatchObject([
      { address: "ann", ...by(busy, ...named), transactionCount: 31 },
      { address: "bob", ...by(busy, 1, 32) },
    ]);
  });

  test("name the transactions of a block that is reverted as long as they are known", async () => {
    await feed(grow("bob"), grow("bob"));
    const old = ledger.tip!;
    const reader = follow(["ann"]);
    await reader.until((events) => events.length === 1);
    const last = grow();
    await feed(last);
    await reader.until(ends("block", last.hash));
    await store.write(revertTo, 0);
    const events = await reader.until(ends("block-removed", old.hash));
    const changed = events.filter(({ event }) => event === "address").map(({ data }) => data);
    const { height, hash } = last;
    const named = { type: "address", address: "ann", height, hash, ...by(last, 0) };
    expect(changed).toEqual([named, named]);
    hub = newHub();
    const [unnamed] = await follow(["ann"], idOf(last)).until(ends("block-removed", old.hash));
    expect(unnamed!.data).toEqual({ type: "address", address: "ann", height, hash });
  });

  test("resumed after any of them, through reorganisations, lose nothing", async () => {
    await feed(grow());
    const whole = follow(["ann"]);
    await whole.until((events) => events.length === 1);
    // More than are read at once, on both branches.
    for (let i = 0; i < 30; i++) await feed(grow(i % 3 === 0 ? "ann" : "bob"));
    await whole.until(ends("block", ledger.tip!.hash));
    const branch = ledger.fork(3, "branch");
    const blocks = Array.from({ length: 28 }, (_, i) =>
      branch.block([{ create: [{ to: i % 5 === 0 ? "ann" : "bob" }] }]),
    );
    await store.atomically(async () => {
      await store.write(revertTo, 3);
      await feed(...blocks);
    });
    const done = ends("block", branch.tip!.hash);
    const all = await whole.until(done);
    expect(all.filter(({ event }) => event === "address")).toHaveLength(10 + 9 + 6);
    // Another process has cached no steps.
    hub = newHub();
    for (const [place, { id }] of all.entries()) {
      // Between the address and its block, there is no id to resume from.
      if (id === undefined || place % 4 > 0 || place === all.length - 1) continue;
      const events = await follow(["ann"], id).until(done);
      expect(viewAfter(all.slice(0, place + 1).concat(events))).toEqual(viewAfter(all));
    }
  });

  test("of a block that is not known any more begin anew, and say so", async () => {
    await feed(grow(), grow());
    const tip = ledger.tip!;
    for (const lastId of [`0-${hashOf("other")}`, "nonsense", `1-${hashOf("x")}`]) {
      const [reset] = await follow([], lastId).until((events) => events.length === 1);
      expect(reset).toMatchObject({ id: idOf(tip), event: "reset", data: { height: 1, hash: tip.hash } });
      expect(reset!.data.reason).toMatch(/last event/);
    }
    // A block above the tip may come soon, because replicas lag behind.
    hub = newHub({}, 500);
    const next = grow();
    const ahead = follow([], idOf(next));
    await feed(next);
    const later = grow();
    await feed(later);
    expect((await ahead.until(ends("block", later.hash))).map(({ event }) => event)).toEqual(["block"]);
  });

  test("go on at the speed of a reader that takes them slowly, and lose nothing", async () => {
    await feed(grow());
    const [reader, slow] = [follow(), follow()];
    await slow.until((events) => events.length === 1);
    const goOn = slow.pause();
    const blocks = Array.from({ length: 50 }, () => grow());
    await feed(...blocks);
    await reader.until(ends("block", ledger.tip!.hash));
    // The piece that it had asked for may have come.
    expect(slow.events.length).toBeLessThanOrEqual(2);
    goOn();
    const events = await slow.until(ends("block", ledger.tip!.hash));
    expect(events.slice(1).map(({ data }) => data.hash)).toEqual(blocks.map(({ hash }) => hash));
    const last = grow();
    await feed(last);
    expect(await slow.until(ends("block", last.hash))).toHaveLength(52);
  });

  test("bring the addresses of a stream that begins while blocks are read for others without them", async () => {
    await feed(grow());
    const before = ledger.tip!;
    const isReading = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const held = queryStub(
      [chainTip, () => store.query(chainTip)],
      [
        chainProgress,
        async (query: ProgressQuery) => {
          const progress = await store.query(chainProgress, query);
          if (progress.added.length > 0 && !query.withAddresses) {
            isReading.resolve();
            await goOn.promise;
          }
          return progress;
        },
      ],
    );
    hub = newHub({ store: held });
    const plain = follow();
    await plain.until((events) => events.length === 1);
    await feed(grow());
    await isReading.promise;
    const watching = follow(["ann"], idOf(before));
    await watching.more();
    goOn.resolve();
    const events = await watching.until(ends("block", ledger.tip!.hash));
    expect(events.map(({ event }) => event)).toEqual(["address", "block"]);
  });

  test("that resume read in the queue, and share what is read", async () => {
    const blocks = Array.from({ length: 40 }, () => grow());
    await feed(...blocks);
    let [reads, pieces] = [0, 0];
    const counted = queryStub(
      [chainTip, () => store.query(chainTip)],
      [
        chainProgress,
        (query: ProgressQuery) => {
          reads++;
          return store.query(chainProgress, query);
        },
      ],
    );
    class Counting extends WorkQueue {
      override runPiece<T>(work: () => Promise<T>): Promise<T> {
        pieces++;
        return super.runPiece(work);
      }
    }
    hub = newHub({ store: counted, workQueue: new Counting(4, new EventLoopTicks()) }, 1_000);
    const readers = Array.from({ length: 50 }, () => follow(["ann"], idOf(blocks[0]!)));
    for (const reader of readers) await reader.until(ends("block", blocks.at(-1)!.hash));
    expect(reads).toBeLessThan(50);
    expect(pieces).toBeGreaterThanOrEqual(reads);
  });

  test("lead to the tip however often the chain went back and forth", async () => {
    await feed(grow(), grow("bob"));
    const [here, there] = [ledger, ledger.fork(0, "there")];
    there.block([{ create: [{ to: "ann" }] }]);
    const whole = follow(["ann"]);
    await whole.until((events) => events.length === 1);
    for (let turn = 0; turn < 6; turn++) {
      const { blocks } = turn % 2 === 0 ? there : here;
      await store.atomically(async () => {
        await store.write(revertTo, 0);
        await feed(...blocks.slice(1));
      });
      await whole.until(ends("block", blocks.at(-1)!.hash));
      for (const block of [...here.blocks, ...there.blocks]) {
        const reader = follow(["ann"], idOf(block));
        if (block !== blocks.at(-1)) await reader.until(ends("block", blocks.at(-1)!.hash));
        reader.leave();
      }
    }
    expect(whole.events.filter(({ event }) => event === "address")).toHaveLength(6);
  });

  test("end when the server stops, and are not opened any more", async () => {
    const [reader, other] = [follow(), follow()];
    await other.until((events) => events.length === 1);
    hub.close();
    while (!reader.ended || !other.ended) await nextTurn();
    expect(() => follow()).toThrow("Service unavailable");
  });

  test("do not report a look that ends after the server stopped: its store is closed by then", async () => {
    const faults: unknown[] = [];
    const look = Promise.withResolvers<null>();
    const failed = (error: unknown) => faults.push(error);
    hub = newHub({ store: queryStub([chainTip, () => look.promise]), failed });
    follow();
    hub.close();
    look.reject(new Error("Cannot use a pool after calling end on the pool"));
    await nextTurn();
    expect(faults).toEqual([]);
  });

  test("are interrupted by comments, so that proxies keep silent streams open", async () => {
    const reader = follow();
    while (!reader.text.endsWith("\n\n:\n\n")) await reader.more();
  });
});

/**
 * The view of a reader who has received these events: the blocks above the start, and which of them changed its address.
 * The event that removes a block must agree.
 */
function viewAfter(events: Received[]): { hash: string; changed: boolean }[] {
  const view: { hash: string; changed: boolean }[] = [];
  let changed = false;
  for (const { event, data } of events) {
    if (event === "address") changed = true;
    if (event === "block-removed") {
      const top = view.pop();
      if (top) expect(top).toEqual({ hash: data.hash, changed });
      changed = false;
    }
    if (event !== "block") continue;
    view.push({ hash: data.hash, changed });
    changed = false;
  }
  return view;
}
