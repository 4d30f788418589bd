/**
 * The demo chain: about a thousand blocks in testnet's form, generated from a seed, with everything that pages,
 * tests and benchmarks need. It is about 40 days long, because only the blocks of the last two hours follow each
 * other closely. All of it is made up; proof of work and signatures are blank.
 */
import { addressOf } from "#lib/chains/ckb/address.ts";
import { bytesToHex } from "#lib/chains/ckb/hex.ts";
import type { NodeBlock, NodeScript } from "#lib/chains/ckb/schema.ts";
import * as cells from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { pricesCsv } from "./demo-prices.ts";
import { type DemoToken, hostileTokens, ordinaryTokens, registry, specialTokens } from "./demo-tokens.ts";
import { Random } from "./random.ts";
import { Traffic } from "./traffic.ts";

const { account, amountData, CKB, isPlain } = cells;

export interface DemoOptions {
  /** Different seeds give different chains of the same kind; 1 by default. */
  seed?: number | undefined;
  /** Live outputs of the busy address at the tip; 20,000 by default. */
  liveOutputs?: number | undefined;
  /** Time of the last block, in milliseconds since the Unix epoch; 2026-10-01T00:00:00Z by default. */
  endsAt?: number | undefined;
}

export type DemoChain = ReturnType<typeof demoChain>;

const HOUR = 3_600_000;
/** Approximate length of the chain before its last two hours. */
const SPAN = 40 * 24 * HOUR;
const LAST_HOUR_INTERVAL = 10_000;
const HOUR_BEFORE_INTERVAL = 30_000;
const LAST_HOUR_BLOCKS = HOUR / LAST_HOUR_INTERVAL;
const RECENT_BLOCKS = LAST_HOUR_BLOCKS + HOUR / HOUR_BEFORE_INTERVAL;
const USERS = 160;
/** Blocks in addition to those that fill the busy address. */
const BASE_HEIGHT = 900;
const OUTPUTS_A_TRANSACTION = 200;
/** The first blocks have no reward, as on CKB's public networks. */
const FIRST_REWARDED_HEIGHT = 12;
/** Depth of the fork below the tip. */
const FORK_DEPTH = 8;
const HOSTILE_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><circle r="9"/></svg>';

const { maximum, deep, burnt, abandoned } = specialTokens;
const known = ordinaryTokens[0]!;
const tokenNamed = (key: string): DemoToken => ordinaryTokens.find((token) => token.key === key)!;

/** The accounts with special properties, which `notable` names. */
export const cast = {
  /** Has `liveOutputs` live outputs: plain ones, fifteen tokens, Spores. */
  busy: account("busy", "omnilock"),
  /** Has three: a plain one, a token, a Spore. */
  small: account("small"),
  /** Has none left. */
  emptied: account("emptied"),
  /** A lock with 40,000 bytes of args: shown by its hash. */
  long: { ...account("long"), args: `0x${"5a".repeat(40_000)}` },
  /** Occurs in no block. */
  unseen: account("nobody"),
  /** Holds TIDE, three tokens that imitate it, and one that imitates CKB. */
  lookAlike: account("collector of look-alikes"),
  /** Holds a token with each hostile name, and Spores with hostile content. */
  hostile: account("collector of hostile names"),
  /** Holds CKB in every kind of cell that is not plain. */
  saver: account("saver"),
  /** Holds CKB until epoch 5. */
  locked: cells.timeLock("heir", (0x20n << 56n) | 5n),
};
/** Pays the busy address. */
const maker = account("market maker");
/** Together they hold every ordinary token and many Spores, for the busy block. */
const dealer = account("dealer");
const gallery = account("gallery", "anyoneCanPay");
/** Owns an inscription's info cell, which names a token instead of a Unique cell. */
const inscriber = account("issuer of RUNG");
const whales = [account("whale 1"), account("whale 2")] as const;

/** A chain in the making. */
interface Stage {
  chain: ChainBuilder;
  random: Random;
  users: readonly NodeScript[];
  traffic: Traffic;
  liveOutputs: number;
  lastHeight: number;
}

/**
 * Generates the demo chain. The same options always give the same hashes. Throws RangeError if `liveOutputs` is not a
 * positive integer.
 */
export function demoChain({
  seed = 1,
  liveOutputs = 20_000,
  endsAt = Date.UTC(2026, 9, 1),
}: DemoOptions = {}) {
  if (!Number.isSafeInteger(liveOutputs) || liveOutputs < 1) {
    throw new RangeError("liveOutputs must be a positive integer");
  }
  const random = new Random(seed);
  const lastHeight = BASE_HEIGHT + Math.ceil(liveOutputs / OUTPUTS_A_TRANSACTION);
  const times = blockTimes(random, lastHeight, endsAt);
  const kinds = Object.keys(cells.lockKinds) as (keyof typeof cells.lockKinds)[];
  const users = Array.from({ length: USERS }, (_, index) =>
    // Most have the default lock.
    account(
      `user ${index + 1} of ${seed}`,
      index % 2 === 0 ? "secp256k1" : kinds[(index >> 1) % kinds.length],
    ),
  );
  const traffic = new Traffic(random, users);
  const chain = new ChainBuilder({
    timeOf: (height) => times[height] ?? endsAt + (height - lastHeight) * LAST_HOUR_INTERVAL,
    rewardFrom: FIRST_REWARDED_HEIGHT,
    reward: 1_000n * CKB,
    genesis: genesis(users, liveOutputs),
  });
  const stage: Stage = { chain, random, users, traffic, liveOutputs, lastHeight };

  chain.emptyBlocks(FIRST_REWARDED_HEIGHT - 1);
  issueTokens(stage);
  const longNameSpore = makeSpores(stage);
  save(stage);
  const later = Math.floor(Math.floor(liveOutputs / OUTPUTS_A_TRANSACTION) / 4);
  fillBusyAddress(stage, Math.max(0, liveOutputs - 100 - later * OUTPUTS_A_TRANSACTION));
  const emptyBlockHash = chain.block().header.hash;
  trafficBlocks(stage, 20);
  const busyBlockHash = busyBlock(stage);
  settleSpecialAddresses(stage);
  trafficBlocks(stage, 5);
  const hugeBlockHash = hugeBlock(stage);
  makeOddities(stage);
  spendFromBusyAddress(stage);
  giveNowAndThen(stage, later);
  trafficBlocks(stage, lastHeight - FORK_DEPTH - 1 - chain.height);
  topUpBusyAddress(stage);
  const fork = reorganise(stage);

  const addresses = Object.fromEntries(
    Object.entries(cast).map(([name, lock]) => [`${name}Address`, addressOf(lock, "testnet").text]),
  ) as Record<`${keyof typeof cast}Address`, string>;
  return {
    network: "testnet" as const,
    /** The canonical chain, from height 0 without gaps. */
    blocks: [...chain.blocks],
    /**
     * The branch that `blocks` replaces from `forkHeight` on. To make a reorganisation happen, load the blocks below
     * `forkHeight`, then these, then the rest of `blocks`.
     */
    fork,
    forkHeight: Number(fork[0]!.header.number),
    registry,
    /** `asset_id,time,usd`, with RFC 3339 times. */
    pricesCsv: pricesCsv(random.next(), times),
    /** The chain's state at its tip and its everyday traffic, to continue it. */
    builder: chain,
    traffic,
    /** Records with special properties: addresses as text, hashes and ids as `0x` hex. */
    notable: {
      ...addresses,
      /** Moves more than 150 assets. */
      busyBlockHash,
      /** Moves only CKB. */
      emptyBlockHash,
      /** Moves nothing: its cellbase has no output. */
      bareBlockHash: chain.blocks[5]!.header.hash,
      /** Moves more of one token than a u128 holds. */
      hugeBlockHash,
      /** On the abandoned branch. */
      replacedBlockHash: fork[0]!.header.hash,
      knownToken: known.id,
      lookAlikeToken: hostileTokens[0]!.id,
      unpricedToken: tokenNamed("TESTS").id,
      zeroDecimalToken: tokenNamed("MOOR").id,
      /** Live outputs of it hold 2^128 - 1 each. */
      maximumToken: maximum.id,
      /** Priced from the middle of the chain on. */
      latePricedToken: tokenNamed("LATE").id,
      burntToken: burnt.id,
      /** Exists only on the abandoned branch. */
      abandonedToken: abandoned.id,
      /** A Spore in a cluster whose name has 10 kB. */
      longNameSpore,
    },
  };
}

/** Returns the time of each block, by height. */
function blockTimes(random: Random, lastHeight: number, end: number): number[] {
  const seconds = Math.floor(SPAN / 1000 / (lastHeight - RECENT_BLOCKS));
  const times = [end];
  for (let later = 0; later < lastHeight; later++) {
    let interval = random.between(Math.floor(seconds / 2), Math.floor(seconds * 1.5)) * 1000;
    if (later < RECENT_BLOCKS) interval = HOUR_BEFORE_INTERVAL;
    if (later < LAST_HOUR_BLOCKS) interval = LAST_HOUR_INTERVAL;
    times.push(times[later]! - interval);
  }
  return times.reverse();
}

function genesis(users: readonly NodeScript[], liveOutputs: number): cells.CellSpec[] {
  const issuers = [...ordinaryTokens, ...hostileTokens, maximum, deep, burnt].map(({ issuer }) => issuer);
  const gifts: [owners: readonly NodeScript[], cells: number, ckb: bigint][] = [
    [[cells.treasury], 100, 10_000_000n],
    [[maker], 1, 1_000_000n + 1_000n * BigInt(liveOutputs)],
    [[dealer, gallery], 2, 1_000_000n],
    [[...issuers, inscriber, abandoned.issuer], 1, 200_000n],
    [users, 3, 20_000n],
  ];
  return gifts.flatMap(([owners, count, ckb]) =>
    owners.flatMap((lock) => Array.from({ length: count }, () => ({ lock, capacity: ckb * CKB }))),
  );
}

/** Names the token, as its first mint does. */
const named = ({ type: token, issuer, info, infoData }: DemoToken) => ({ token, issuer, info, infoData });

/** Three mints a block, each with a Unique cell that names the token, for the dealer and some users. */
function issueTokens({ chain, random, users, traffic }: Stage): void {
  for (const [index, token] of [...ordinaryTokens, ...hostileTokens].entries()) {
    const owners = [dealer, ...Array.from({ length: 4 }, () => random.pick(users))];
    if (index < 15) owners.push(maker);
    if (hostileTokens.includes(token)) owners.push(cast.hostile);
    chain.mint({ ...named(token), to: owners.map((lock) => ({ lock, amount: token.supply / 20n })) });
    if (index % 3 === 2) {
      traffic.add(chain, 1);
      chain.block();
    }
  }
  chain.block();

  const amount = 1_000n * CKB;
  const info = { name: "Rung", symbol: "RUNG", decimals: 8, supply: 21_000_000n * CKB, mintLimit: amount };
  const { token } = chain.inscription({ ...info, owner: inscriber });
  chain.block();
  for (let minted = 0; minted < 3; minted++) {
    chain.mint({ token, issuer: inscriber, to: random.pick(users), amount });
    chain.block();
  }
}

/** Clusters and their Spores, owned by the gallery, some users, and the collector of hostile names. */
function makeSpores({ chain, users }: Stage): string {
  const clusters: [name: string, description: string][] = [
    ["Harbour Views", "Forty pictures of one pier."],
    ["Tide Tables", "A day each."],
    ["Scroll on. ".repeat(931).slice(0, 10_240), ""],
    ["<h1>Cluster</h1>\u202e", "=1+1"],
  ];
  const [harbour, tides, longName, markup] = clusters.map(
    ([name, description]) => chain.cluster({ name, description, owner: gallery }).cell,
  );
  chain.block();

  const numbered = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i));
  const pier = (index: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="${1 + (index % 4)}"/></svg>`;
  const pictures = { contents: numbered(40, pier), contentType: "image/svg+xml" };
  chain.spores({ ...pictures, cluster: harbour, to: gallery });
  chain.block();
  chain.spores({ contents: numbered(40, (i) => `High water at ${i}:00`), cluster: tides, to: gallery });
  chain.block();
  const days = numbered(20, (i) => JSON.stringify({ day: i }));
  chain.spores({ contents: days, contentType: "application/json", to: gallery });
  for (const to of users.slice(0, 40)) chain.spore({ to, cluster: harbour, content: "A postcard" });
  chain.block();
  const to = cast.hostile;
  const scrolls = chain.spores({ contents: ["1", "2"], cluster: longName, to });
  chain.spore({ to, cluster: markup, contentType: 'text/html"><script>alert(1)</script>', content: "<b>" });
  chain.spore({ to, contentType: "image/svg+xml", content: HOSTILE_SVG });
  chain.spore({ to, contentType: "", content: "" });
  chain.spore({ to, contentType: "text/plain;charset=utf-8", content: new Uint8Array([0xff, 0xfe, 0]) });
  chain.block();
  return scrolls.cells[0]!.output.type!.args;
}

/** Two deposits, of which one is on its way out, data, a program, and a time lock. */
function save({ chain }: Stage): void {
  const lock = cast.saver;
  const text = (data: string) => ({ lock, data: bytesToHex(Buffer.from(data)), capacity: 500n * CKB });
  chain.deposit({ owner: lock, capacity: 10_000n * CKB });
  const [deposit] = chain.deposit({ owner: lock, capacity: 20_000n * CKB }).cells;
  chain.block();
  const depositedAt = chain.height;
  chain.create([
    text("To be opened in 2036."),
    text("\x7fELF, or what begins like it"),
    { lock, capacity: 1_000n * CKB },
    { lock: cast.locked, capacity: 7_000n * CKB },
  ]);
  chain.block();
  chain.withdraw({ deposit: deposit!, depositedAt });
  chain.block({ miner: lock });
}

function fillBusyAddress(stage: Stage, count: number): void {
  for (let left = count; left > 0; left -= OUTPUTS_A_TRANSACTION) {
    giveToBusyAddress(stage, Math.min(left, OUTPUTS_A_TRANSACTION));
    stage.traffic.add(stage.chain, 2);
    stage.chain.block();
  }
}

/** Fills the busy address further, with traffic in between. The maker also lends it much, and takes that back. */
function giveNowAndThen(stage: Stage, gifts: number): void {
  const { chain, random } = stage;
  const blocks = stage.lastHeight - RECENT_BLOCKS - chain.height;
  const between = Math.floor(blocks / (gifts + 1)) - 1;
  let lent: cells.LiveCell | undefined;
  for (let given = 0; given < gifts; given++) {
    trafficBlocks(stage, between);
    if (given % 6 === 1) {
      const { type: token, supply } = ordinaryTokens[random.between(2, 3)]!;
      [lent] = chain.transfer({ token, from: maker, to: cast.busy, amount: supply / 1000n }).cells;
    }
    if (given % 6 === 4) chain.move({ cells: [lent!], to: maker });
    fillBusyAddress(stage, OUTPUTS_A_TRANSACTION);
  }
}

/** Makes twelve of twenty outputs plain; eight hold one of fifteen tokens, and one in two hundred is a Spore. */
function giveToBusyAddress({ chain, random }: Stage, count: number): void {
  const inputs = chain.liveCells(maker);
  // A type id depends on the first input, which is the maker's oldest cell.
  const first = inputs[0]!;
  const types = new Map(inputs.flatMap(({ output: { type } }) => (type ? [[type.args, type]] : [])));
  const left = new Map([...types].map(([args, type]) => [args, chain.balance(maker, type)]));
  const lock = cast.busy;
  const outputs = Array.from({ length: count }, (_, index): cells.CellSpec => {
    if (index % 200 === 199) {
      const type = cells.sporeType(cells.typeId(first, index));
      return { lock, type, data: cells.sporeData("text/plain", `Ticket ${random.next()}`) };
    }
    if (index % 20 < 12) {
      return { lock, capacity: BigInt(random.between(64, 400)) * CKB + BigInt(random.below(Number(CKB))) };
    }
    const { type, supply } = ordinaryTokens[random.below(15)]!;
    // A hundred-thousandth of the supply at most; of MOOR's 12,000 without decimals that is 0, so 1.
    const amount = ((supply / 100_000n) * BigInt(random.between(1, 1000))) / 1000n || 1n;
    const rest = (left.get(type.args) ?? 0n) - amount;
    if (rest < 0n) return { lock, capacity: 100n * CKB };
    left.set(type.args, rest);
    return { lock, type, data: amountData(amount) };
  });
  const kept = [...left].flatMap(([args, amount]) =>
    amount > 0n ? [{ lock: maker, type: types.get(args), data: amountData(amount) }] : [],
  );
  chain.transaction({ inputs, outputs: [...outputs, ...kept], change: maker });
}

/** Every ordinary token and a hundred Spores change hands in one block. */
function busyBlock({ chain, traffic }: Stage): string {
  const tokens = new Set(ordinaryTokens.map(({ type }) => type.args));
  const held = chain.liveCells(dealer).filter(({ output }) => output.type && tokens.has(output.type.args));
  const spores = chain.liveCells(gallery).filter(({ output }) => output.type);
  for (let at = 0; at < held.length; at += 12) {
    chain.move({ cells: held.slice(at, at + 12), to: gallery, payer: dealer });
  }
  for (let at = 0; at < spores.length; at += 25) {
    chain.move({ cells: spores.slice(at, at + 25), to: dealer, payer: gallery });
  }
  traffic.add(chain, 5);
  return chain.block().header.hash;
}

function settleSpecialAddresses({ chain, random, users }: Stage): void {
  const { small, emptied, lookAlike, hostile } = cast;
  const pay = (token: NodeScript, from: NodeScript, to: NodeScript, amount: bigint) =>
    chain.transfer({ token, from, to, amount });
  const payKnown = (to: NodeScript, amount: bigint) =>
    pay(known.type, chain.balance(dealer, known.type) > 0n ? dealer : maker, to, amount);
  const paid = [500n, 700n, 900n].flatMap(
    (ckb) => chain.transfer({ to: small, amount: ckb * CKB }).cells[0]!,
  );
  payKnown(small, 12_345_678n);
  chain.block();
  chain.spore({ to: small, content: "The only one" });
  chain.transfer({ to: emptied, amount: 80_000n * CKB });
  payKnown(emptied, 5_000_000n);
  payKnown(lookAlike, 250_000_000n);
  for (const { type } of hostileTokens.slice(0, 4)) pay(type, hostile, lookAlike, 250_000_000n);
  chain.block();
  for (const moved of [paid.slice(0, 2), chain.liveCells(emptied)]) {
    chain.move({ cells: moved, to: random.pick(users) });
  }
  chain.block();
}

/** Twice the largest amount moves. */
function hugeBlock({ chain }: Stage): string {
  const to = [...whales, cast.busy].map((lock) => ({ lock, amount: cells.MAXIMUM_AMOUNT }));
  chain.mint({ ...named(maximum), to });
  chain.block();
  const [first, second] = whales.map((whale) => chain.liveCells(whale));
  chain.move({ cells: first!, to: whales[1] });
  chain.move({ cells: second!, to: whales[0] });
  return chain.block().header.hash;
}

/** A token burnt completely, 255 decimals, data that is too short or too long, a Spore that moves twice in a block. */
function makeOddities({ chain, random, users }: Stage): void {
  const holder = random.pick(users);
  chain.mint({ ...named(burnt), to: holder, amount: 1_000n * CKB });
  chain.block();
  chain.burn({ token: burnt.type, from: holder, amount: 400n * CKB });
  chain.block();
  chain.burn({ token: burnt.type, from: holder, amount: 600n * CKB });
  chain.mint({ ...named(deep), to: random.pick(users), amount: 10n ** 38n });
  chain.block();

  const { issuer, type } = tokenNamed("TESTS");
  const data = ["0x", "0xffffff", amountData(0n), `${amountData(5n * CKB)}deadbeef`];
  chain.transaction({
    inputs: chain.liveCells(issuer).filter(isPlain),
    outputs: data.map((each) => ({ lock: cast.hostile, type, data: each })),
    change: issuer,
  });
  chain.block();

  let potato = chain.spore({ to: random.pick(users), content: "Hot potato" }).cells[0]!;
  for (let moves = 0; moves < 2; moves++) {
    potato = chain.move({ cells: [potato], to: random.pick(users) }).cells[0]!;
  }
  chain.transfer({ to: cast.long, amount: 50_000n * CKB });
  chain.block();
}

/** Spends up to forty outputs of the busy address, spread over its list. */
function spendFromBusyAddress({ chain, random, users, traffic }: Stage): void {
  const all = chain.liveCells(cast.busy);
  const count = Math.min(40, Math.floor(all.length / 10));
  const chosen = Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!);
  for (let spent = 0; spent < count; spent += 8) {
    chain.move({ cells: chosen.slice(spent, spent + 8), to: random.pick(users) });
    traffic.add(chain, 1);
    chain.block();
  }
}

/** Brings the busy address to exactly the requested number of outputs, in one block. */
function topUpBusyAddress(stage: Stage): void {
  const { chain, users, traffic, liveOutputs } = stage;
  const live = chain.liveCells(cast.busy);
  if (live.length > liveOutputs)
    chain.move({ cells: live.slice(0, live.length - liveOutputs), to: users[0]! });
  for (let left = liveOutputs - live.length; left > 0; left -= OUTPUTS_A_TRANSACTION) {
    giveToBusyAddress(stage, Math.min(left, OUTPUTS_A_TRANSACTION));
  }
  traffic.add(chain, 3);
  chain.block();
}

/** Makes the abandoned branch, then the rest of the canonical one; returns the abandoned branch. */
function reorganise(stage: Stage): NodeBlock[] {
  const { chain, users } = stage;
  const { height } = chain;
  const other = chain.fork(height);
  const user = (index: number) => users[index]!;

  // The canonical branch has one transaction a block earlier, and spends the contested cell differently.
  const both = chain.transfer({ to: user(0), amount: 777n * CKB });
  const alsoBoth = chain.spore({ to: user(1), content: "On both branches" });
  // The giver also pays the fee, so it needs a second cell.
  const plain = (owner: NodeScript) => chain.liveCells(owner).filter(isPlain);
  const payer = users.slice(8).find((each) => plain(each).length > 1)!;
  const contested = plain(payer).slice(0, 1);
  chain.move({ cells: contested, to: user(3), payer });
  stage.traffic.add(chain, 2);
  chain.block();

  other.include(alsoBoth.transaction);
  other.move({ cells: contested, to: user(4), payer });
  const receivers = [user(5), cast.busy].map((lock) => ({ lock, amount: 1_000n * CKB }));
  other.mint({ ...named(abandoned), to: receivers });
  other.block();
  other.include(both.transaction);
  other.move({ cells: other.liveCells(cast.small), to: user(6) });
  other.move({ cells: other.liveCells(cast.busy).slice(0, 5), to: user(7) });
  other.block();

  trafficBlocks(stage, stage.lastHeight - chain.height);
  return other.blocks.slice(height + 1);
}

/** Makes blocks of everyday transactions. Those of the last hour have fewer, because they follow each other closely. */
function trafficBlocks({ chain, random, traffic, lastHeight }: Stage, blocks: number): void {
  for (let made = 0; made < blocks; made++) {
    const isRecent = lastHeight - chain.height <= LAST_HOUR_BLOCKS;
    traffic.add(chain, isRecent ? random.between(1, 4) : random.between(4, 9));
    chain.block();
  }
}
