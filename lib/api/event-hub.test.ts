import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { isUnavailable, type Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { at, hashOf, identity, keyOf, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { EventHub, type Sink } from "./event-hub.ts";

interface Received {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into data of every event
  data: any;
}

/** A reader of a stream, which may stop taking what it is sent. */
class Reader extends EventEmitter implements Sink {
  text = "";
  writableLength = 0;
  ended = false;
  cut = false;

  write(text: string | Buffer): void {
    this.text += text.toString();
    this.emit("written");
  }
  end(): void {
    this.ended = true;
    this.emit("close");
  }
  destroy(): void {
    this.cut = true;
    this.emit("close");
  }

  get events(): Received[] {
    return this.text.split("\n\n").flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const event = field("event");
      return event ? [{ id: field("id"), event, data: JSON.parse(field("data")!) }] : [];
    });
  }

  /** Resolves when what was received satisfies the condition. */
  async until(isEnough: (events: Received[]) => boolean): Promise<Received[]> {
    while (!isEnough(this.events)) await new Promise((resolve) => this.once("written", resolve));
    return this.events;
  }
}

const ends = (name: string, hash: string) => (events: Received[]) =>
  events.at(-1)?.event === name && events.at(-1)?.data.hash === hash;

describe.each(engines)("events from $name", ({ open }) => {
  let store: Store;
  let hub: EventHub;
  let ledger: Ledger;
  let valid = true;
  const hubs: EventHub[] = [];

  beforeEach(async () => {
    valid = true;
    store = await open();
    hub = newHub();
    ledger = new Ledger();
  });
  afterEach(async () => {
    for (const each of hubs.splice(0)) each.close();
    await store.close();
  });

  function newHub(limits = {}, pollMs = 5): EventHub {
    // A store that does not answer in time is asked again; anything else is a fault.
    const failed = (error: unknown) => {
      if (!isUnavailable(error)) throw error;
    };
    const deps = { store, maxStreams: 100, maxStreamsPerToken: 100, isValid: async () => valid, failed };
    const made = new EventHub({ ...deps, ...limits }, { pollMs });
    hubs.push(made);
    return made;
  }

  function follow(names: string[] = [], lastId?: string): Reader {
    const reader = new Reader();
    const addresses = new Map(names.map((name) => [keyOf(name), name]));
    hub.open({ caller: "c", token: "t", addresses, lastId }, reader);
    return reader;
  }

  async function feed(...blocks: Block[]): Promise<void> {
    await store.identify(identity);
    await storeBlocks(store, blocks);
  }

  const idOf = (block: Block) => `${block.height}-${block.hash}`;
  const grow = (to = "ann") => ledger.block([{ create: [{ to }] }]);

  test("begin with the tip, and tell what is added and which watched addresses it changes", async () => {
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
      data: { height, hash, parentHash, time: new Date(timestamp).toISOString() },
    });
    const start = { id: idOf(first), event: "start", data: { height: 0, hash: first.hash } };
    expect(await watching.until(ends("block", other.hash))).toEqual([
      start,
      { id: undefined, event: "address", data: { address: "ann", height, hash } },
      block(spending),
      block(other),
    ]);
    expect(await plain.until(ends("block", other.hash))).toEqual([start, block(spending), block(other)]);
  });

  test("begin before the first block of an empty index", async () => {
    const reader = follow();
    const [start] = await reader.until((events) => events.length === 1);
    expect(start).toEqual({ id: "none", event: "start", data: { height: null, hash: null } });
    const first = grow();
    await feed(first);
    await reader.until(ends("block", first.hash));
    const again = follow([], "none");
    expect((await again.until(ends("block", first.hash))).map(({ event }) => event)).toEqual(["block"]);
  });

  test("take blocks back from the top, then tell what replaced them", async () => {
    await feed(grow(), grow(), grow());
    const reader = follow(["ann"]);
    await reader.until((events) => events.length === 1);
    const old = ledger.blocks.slice(1).toReversed();
    const branch = ledger.fork(0, "branch");
    const added = [branch.block([{ create: [{ to: "bob" }] }]), branch.block([{ create: [{ to: "ann" }] }])];
    await store.atomically(async () => {
      await store.revertTo(0);
      await feed(...added);
    });
    const events = await reader.until(ends("block", added[1]!.hash));
    expect(events.slice(1).map(({ id, event, data }) => [event, data.height, data.hash, id])).toEqual([
      ["block-removed", 2, old[0]!.hash, idOf(old[1]!)],
      ["block-removed", 1, old[1]!.hash, idOf(ledger.blocks[0]!)],
      ["block", 1, added[0]!.hash, idOf(added[0]!)],
      ["address", 2, added[1]!.hash, undefined],
      ["block", 2, added[1]!.hash, idOf(added[1]!)],
    ]);
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
      await store.revertTo(3);
      await feed(...blocks);
    });
    const done = ends("block", branch.tip!.hash);
    const all = await whole.until(done);
    expect(all.filter(({ event }) => event === "address")).toHaveLength(10 + 6);
    // Another process has no memory of what was sent.
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
    // What is above the tip may come soon: a replica lags behind.
    hub = newHub({}, 500);
    const next = grow();
    const ahead = follow([], idOf(next));
    await feed(next);
    const later = grow();
    await feed(later);
    expect((await ahead.until(ends("block", later.hash))).map(({ event }) => event)).toEqual(["block"]);
  });

  test("are not kept for a reader that does not take them", async () => {
    await feed(grow());
    const [reader, slow] = [follow(), follow()];
    await slow.until((events) => events.length === 1);
    slow.writableLength = 1_000_000;
    await feed(grow());
    await reader.until(ends("block", ledger.tip!.hash));
    expect([slow.cut, reader.cut, hub.size]).toEqual([true, false, 1]);
  });

  test("go on at the speed of a reader that takes them slowly, and lose nothing", async () => {
    await feed(grow());
    const [reader, slow] = [follow(), follow()];
    await slow.until((events) => events.length === 1);
    slow.writableLength = 20_000;
    const blocks = Array.from({ length: 50 }, () => grow());
    await feed(...blocks);
    await reader.until(ends("block", ledger.tip!.hash));
    expect([slow.events.length, slow.cut]).toEqual([1, false]);
    slow.writableLength = 0;
    slow.emit("drain");
    const events = await slow.until(ends("block", ledger.tip!.hash));
    expect(events.slice(1).map(({ data }) => data.hash)).toEqual(blocks.map(({ hash }) => hash));
    const last = grow();
    await feed(last);
    expect(await slow.until(ends("block", last.hash))).toHaveLength(52);
  });

  test("end with their token, and all of them when the server stops", async () => {
    const [reader, other] = [follow(), follow()];
    await other.until((events) => events.length === 1);
    hub.close();
    expect([reader.ended, other.ended, hub.size]).toEqual([true, true, 0]);
    expect(() => follow()).toThrow("Service unavailable");
    hub = newHub();
    const late = follow();
    valid = false;
    await new Promise((resolve) => late.once("close", resolve));
    expect([late.ended, hub.size]).toEqual([true, 0]);
  });

  test("do not report a look that ends after the server stopped: its store is closed by then", async () => {
    const faults: unknown[] = [];
    const look = Promise.withResolvers<null>();
    const failed = (error: unknown) => faults.push(error);
    hub = newHub({ store: { tip: () => look.promise }, failed });
    follow();
    hub.close();
    look.reject(new Error("Cannot use a pool after calling end on the pool"));
    await nextTurn();
    expect(faults).toEqual([]);
  });

  test("go to as many streams of a token, and of all, as may be open", async () => {
    hub = newHub({ maxStreams: 3, maxStreamsPerToken: 2 });
    const [one] = [follow(), follow()];
    expect(() => follow()).toThrow("Too many requests");
    one.destroy();
    follow();
    const open = () =>
      hub.open({ caller: "d", token: "u", addresses: new Map(), lastId: undefined }, new Reader());
    open();
    expect(open).toThrow("Service unavailable");
  });

  test("are interrupted by comments, so that proxies keep silent streams open", async () => {
    const reader = follow();
    while (!reader.text.endsWith("\n\n:\n\n"))
      await new Promise((resolve) => reader.once("written", resolve));
  });
});

/** What a reader knows who has received these events: the blocks above the start, and where its address changed. */
function viewAfter(events: Received[]): { hash: string; changed: boolean }[] {
  const view: { hash: string; changed: boolean }[] = [];
  let changed = false;
  for (const { event, data } of events) {
    if (event === "address") changed = true;
    if (event === "block-removed") {
      const top = view.pop();
      if (top) expect(top.hash).toBe(data.hash);
    }
    if (event !== "block") continue;
    view.push({ hash: data.hash, changed });
    changed = false;
  }
  return view;
}
