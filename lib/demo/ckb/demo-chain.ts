/**
 * The demo chain: about a thousand blocks in testnet's form, generated from a seed, with everything that pages,
 * tests and benchmarks need. It is about 40 days long, because only the blocks of the last two hours follow each
 * other closely. All of it is made up; proof of work and signatures are blank.
 */
import { addressOf, encodeAddress } from "#lib/chains/ckb/address.ts";
import { bytesToHex } from "#lib/chains/ckb/hex.ts";
import type { NodeBlock, NodeScript } from "#lib/chains/ckb/schema.ts";
import { PRICE_DECIMALS, parseDecimal, toUnits } from "#lib/contract/amounts.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  account,
  amountData,
  type CellSpec,
  ChainBuilder,
  CKB,
  type LiveCell,
  lockKinds,
  MAXIMUM_AMOUNT,
  sporeData,
  sporeType,
  timeLock,
  treasury,
  typeId,
} from "./chain-builder.ts";
import { hostileTokens, ordinaryTokens, specialTokens } from "./demo-tokens.ts";
import { Random } from "./random.ts";
import { type Issued, isPlain, issue, Traffic, units } from "./traffic.ts";

export interface DemoOptions {
  /** Different seeds give different chains of the same kind; 1 by default. */
  seed?: number | undefined;
  /** Live outputs of the busy address at the tip; 20,000 by default. */
  liveOutputs?: number | undefined;
  /** Time of the last block, in milliseconds since the Unix epoch; 2026-10-01T00:00:00Z by default. */
  endsAt?: number | undefined;
}

export type DemoChain = ReturnType<Demo["make"]>;

const DEFAULT_END = Date.UTC(2026, 9, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long the chain is, about, before its last two hours. */
const SPAN = 40 * 24 * HOUR;
const LAST_HOUR_INTERVAL = 10_000;
const HOUR_BEFORE_INTERVAL = 30_000;
const LAST_HOUR_BLOCKS = HOUR / LAST_HOUR_INTERVAL;
const RECENT_BLOCKS = LAST_HOUR_BLOCKS + HOUR / HOUR_BEFORE_INTERVAL;
const USERS = 160;
/** Blocks in addition to those that fill the busy address. */
const BASE_HEIGHT = 900;
const OUTPUTS_A_TRANSACTION = 200;
/** Prices of the native asset and of these many tokens change every few minutes at the end, at the latest from an hour before. */
const LIVELY_TOKENS = 6;
/** Chosen by the looks of the charts. */
const PRICES = 7;
const SLOWEST_PRICE_MINUTES = 480;
/** As on CKB's public networks: the first blocks have no reward. */
const FIRST_REWARDED_HEIGHT = 12;
/** How far below the tip the abandoned branch starts. */
const FORK_DEPTH = 8;
const HOSTILE_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><circle r="9"/></svg>';

/**
 * Generates the demo chain. The same options always give the same hashes. Throws RangeError if `liveOutputs` is not a
 * positive integer.
 */
export function demoChain(options: DemoOptions = {}): DemoChain {
  const liveOutputs = options.liveOutputs ?? 20_000;
  if (!Number.isSafeInteger(liveOutputs) || liveOutputs < 1) {
    throw new RangeError("liveOutputs must be a positive integer");
  }
  return new Demo(options.seed ?? 1, liveOutputs, options.endsAt ?? DEFAULT_END).make();
}

class Demo {
  readonly #random: Random;
  readonly #liveOutputs: number;
  readonly #lastHeight: number;
  /** Of the block of each height. */
  readonly #times: readonly number[];
  readonly #chain: ChainBuilder;

  readonly #ordinary = ordinaryTokens.map(issue);
  readonly #hostile = hostileTokens.map(issue);
  readonly #maximum = issue(specialTokens.maximum);
  readonly #deep = issue(specialTokens.deep);
  readonly #burnt = issue(specialTokens.burnt);
  /** Of a token that an inscription's info cell names instead of a Unique cell. */
  readonly #inscriber = account("issuer of RUNG");
  readonly #abandoned = issue(specialTokens.abandoned);

  readonly #users: NodeScript[];
  readonly #traffic: Traffic;
  readonly #busy = account("busy", "omnilock");
  readonly #small = account("small");
  readonly #emptied = account("emptied");
  readonly #longLock: NodeScript = { ...account("long"), args: `0x${"5a".repeat(40_000)}` };
  readonly #lookAlikes = account("collector of look-alikes");
  readonly #brave = account("collector of hostile names");
  readonly #saver = account("saver");
  readonly #locked = timeLock("heir", (0x20n << 56n) | 5n);
  /** Pays the busy address. */
  readonly #maker = account("market maker");
  /** Together they hold every ordinary token and many Spores, for the busy block. */
  readonly #dealer = account("dealer");
  readonly #gallery = account("gallery", "anyoneCanPay");

  constructor(seed: number, liveOutputs: number, end: number) {
    this.#random = new Random(seed);
    this.#liveOutputs = liveOutputs;
    this.#lastHeight = BASE_HEIGHT + Math.ceil(liveOutputs / OUTPUTS_A_TRANSACTION);
    this.#times = this.#blockTimes(end);
    const kinds = Object.keys(lockKinds) as (keyof typeof lockKinds)[];
    this.#users = Array.from({ length: USERS }, (_, index) =>
      // Most have the default lock.
      account(
        `user ${index + 1} of ${seed}`,
        index % 2 === 0 ? "secp256k1" : kinds[(index >> 1) % kinds.length],
      ),
    );
    this.#traffic = new Traffic(this.#random, this.#users, this.#ordinary);
    this.#chain = new ChainBuilder({
      timeOf: (height) => this.#times[height] ?? end + (height - this.#lastHeight) * LAST_HOUR_INTERVAL,
      rewardFrom: FIRST_REWARDED_HEIGHT,
      reward: 1_000n * CKB,
      genesis: this.#genesis(),
    });
  }

  #blockTimes(end: number): number[] {
    const seconds = Math.floor(SPAN / 1000 / (this.#lastHeight - RECENT_BLOCKS));
    const times = [end];
    for (let later = 0; later < this.#lastHeight; later++) {
      let interval = this.#random.between(Math.floor(seconds / 2), Math.floor(seconds * 1.5)) * 1000;
      if (later < RECENT_BLOCKS) interval = HOUR_BEFORE_INTERVAL;
      if (later < LAST_HOUR_BLOCKS) interval = LAST_HOUR_INTERVAL;
      times.push(times[later]! - interval);
    }
    return times.reverse();
  }

  #genesis(): CellSpec[] {
    const issuers = [
      ...this.#ordinary,
      ...this.#hostile,
      this.#maximum,
      this.#deep,
      this.#burnt,
      { issuer: this.#inscriber },
      this.#abandoned,
    ].map(({ issuer }) => ({ lock: issuer, capacity: 200_000n * CKB }));
    const gift = (lock: NodeScript, cells: number, capacity: bigint): CellSpec[] =>
      Array.from({ length: cells }, () => ({ lock, capacity: capacity * CKB }));
    return [
      ...gift(treasury, 100, 10_000_000n),
      ...gift(this.#maker, 1, 1_000_000n + 1_000n * BigInt(this.#liveOutputs)),
      ...gift(this.#dealer, 2, 1_000_000n),
      ...gift(this.#gallery, 2, 1_000_000n),
      ...issuers,
      ...this.#users.flatMap((user) => gift(user, 3, 20_000n)),
    ];
  }

  make() {
    this.#chain.emptyBlocks(FIRST_REWARDED_HEIGHT - 1);
    this.#issueTokens();
    const longNameSpore = this.#makeSpores();
    this.#save();
    const gifts = Math.floor(this.#liveOutputs / OUTPUTS_A_TRANSACTION);
    const later = Math.floor(gifts / 4);
    this.#fillBusyAddress(Math.max(0, this.#liveOutputs - 100 - later * OUTPUTS_A_TRANSACTION));
    this.#chain.block();
    const emptyBlockHash = this.#chain.tip.header.hash;
    this.#trafficBlocks(20);
    const busyBlockHash = this.#busyBlock();
    this.#settleSpecialAddresses();
    this.#trafficBlocks(5);
    const hugeBlockHash = this.#hugeBlock();
    this.#oddities();
    this.#spendFromBusyAddress();
    this.#giveNowAndThen(later);
    this.#trafficBlocks(this.#lastHeight - FORK_DEPTH - 1 - this.#chain.height);
    this.#topUpBusyAddress();
    const fork = this.#reorganise();

    const [known] = this.#ordinary as [Issued, ...Issued[]];
    const idOf = (key: string) => this.#ordinary.find(({ token }) => token.key === key)!.id;
    return {
      network: "testnet" as const,
      /** The canonical chain, from height 0 without gaps. */
      blocks: [...this.#chain.blocks],
      /**
       * The branch that `blocks` replaces from `forkHeight` on. To make a reorganisation happen, load the blocks below
       * `forkHeight`, then these, then the rest of `blocks`.
       */
      fork,
      forkHeight: Number(fork[0]!.header.number),
      registry: this.#registry(),
      /** `asset_id,time,usd`, with RFC 3339 times. */
      pricesCsv: this.#pricesCsv(),
      /** To go on with: the chain's state at its tip, and what happens on it every day. */
      builder: this.#chain,
      traffic: this.#traffic,
      /** Records with special properties: addresses as text, hashes and ids as `0x` hex. */
      notable: {
        /** Has `liveOutputs` live outputs: plain ones, fifteen tokens, Spores. */
        busyAddress: encodeAddress(this.#busy, "testnet"),
        /** Has three: a plain one, a token, a Spore. */
        smallAddress: encodeAddress(this.#small, "testnet"),
        /** Has none left. */
        emptiedAddress: encodeAddress(this.#emptied, "testnet"),
        /** Of a lock with 40,000 bytes of args: shown by the lock's hash. */
        longAddress: addressOf(this.#longLock, "testnet").text,
        /** Valid, but in no block. */
        unseenAddress: encodeAddress(account("nobody"), "testnet"),
        /** Holds TIDE, three tokens that imitate it, and one that imitates CKB. */
        lookAlikeAddress: encodeAddress(this.#lookAlikes, "testnet"),
        /** Holds a token with each hostile name, and Spores with hostile content. */
        hostileAddress: encodeAddress(this.#brave, "testnet"),
        /** Holds CKB in every kind of cell that is not plain. */
        saverAddress: encodeAddress(this.#saver, "testnet"),
        /** Holds CKB until epoch 5. */
        lockedAddress: encodeAddress(this.#locked, "testnet"),
        /** Moves more than 150 assets. */
        busyBlockHash,
        /** Moves only CKB. */
        emptyBlockHash,
        /** Moves nothing: its cellbase has no output. */
        bareBlockHash: this.#chain.blocks[5]!.header.hash,
        /** Moves more of one token than a u128 holds. */
        hugeBlockHash,
        /** On the abandoned branch. */
        replacedBlockHash: fork[0]!.header.hash,
        knownToken: known.id,
        lookAlikeToken: this.#hostile[0]!.id,
        unpricedToken: idOf("TESTS"),
        zeroDecimalToken: idOf("MOOR"),
        /** Live outputs of it hold 2^128 - 1 each. */
        maximumToken: this.#maximum.id,
        /** Priced from the middle of the chain on. */
        latePricedToken: idOf("LATE"),
        burntToken: this.#burnt.id,
        /** Exists only on the abandoned branch. */
        abandonedToken: this.#abandoned.id,
        /** In a cluster whose name has 10 kB. */
        longNameSpore,
      },
    };
  }

  // --- what happens on the chain -----------------------------------------------------------------------

  /** Three mints a block, each with a Unique cell that names the token, for the dealer and some users. */
  #issueTokens(): void {
    const all = [...this.#ordinary, ...this.#hostile];
    for (const [index, { token, issuer, type }] of all.entries()) {
      const share = units(token) / 20n;
      const to = [
        { lock: this.#dealer, amount: share },
        ...Array.from({ length: 4 }, () => ({ lock: this.#random.pick(this.#users), amount: share })),
      ];
      if (index < 15) to.push({ lock: this.#maker, amount: share });
      if (index >= this.#ordinary.length) to.push({ lock: this.#brave, amount: share });
      this.#chain.mint({ token: type, issuer, to, info: token.info, infoData: token.infoData });
      if (index % 3 === 2) {
        this.#traffic.add(this.#chain, 1);
        this.#chain.block();
      }
    }
    this.#chain.block();

    const { token } = this.#chain.inscription({
      owner: this.#inscriber,
      name: "Rung",
      symbol: "RUNG",
      decimals: 8,
      supply: 21_000_000n * CKB,
      mintLimit: 1_000n * CKB,
    });
    this.#chain.block();
    for (let minted = 0; minted < 3; minted++) {
      this.#chain.mint({
        token,
        issuer: this.#inscriber,
        to: this.#random.pick(this.#users),
        amount: 1_000n * CKB,
      });
      this.#chain.block();
    }
  }

  /** Clusters and their Spores, owned by the gallery, some users, and the collector of hostile names. */
  #makeSpores(): string {
    const chain = this.#chain;
    const gallery = this.#gallery;
    const brave = this.#brave;
    const owner = gallery;
    const harbour = chain.cluster({
      name: "Harbour Views",
      description: "Forty pictures of one pier.",
      owner,
    });
    const tides = chain.cluster({ name: "Tide Tables", description: "A day each.", owner });
    const longName = chain.cluster({ name: "Scroll on. ".repeat(931).slice(0, 10_240), owner });
    const markup = chain.cluster({ name: "<h1>Cluster</h1>\u202e", description: "=1+1", owner });
    chain.block();

    const pier = (index: number) =>
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="${1 + (index % 4)}"/></svg>`;
    const numbered = (count: number, text: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => text(i));
    chain.spores({
      contents: numbered(40, pier),
      contentType: "image/svg+xml",
      cluster: harbour.cell,
      to: gallery,
    });
    chain.block();
    chain.spores({
      contents: numbered(40, (i) => `High water at ${i}:00`),
      cluster: tides.cell,
      to: gallery,
    });
    chain.block();
    chain.spores({
      contents: numbered(20, (i) => JSON.stringify({ day: i })),
      contentType: "application/json",
      to: gallery,
    });
    for (const user of this.#users.slice(0, 40))
      chain.spore({ to: user, cluster: harbour.cell, content: "A postcard" });
    chain.block();
    const { cells } = chain.spores({ contents: ["1", "2"], cluster: longName.cell, to: brave });
    chain.spore({
      to: brave,
      cluster: markup.cell,
      contentType: 'text/html"><script>alert(1)</script>',
      content: "<b>",
    });
    chain.spore({ to: brave, contentType: "image/svg+xml", content: HOSTILE_SVG });
    chain.spore({ to: brave, contentType: "", content: "" });
    chain.spore({
      to: brave,
      contentType: "text/plain;charset=utf-8",
      content: new Uint8Array([0xff, 0xfe, 0]),
    });
    chain.block();
    return cells[0]!.output.type!.args;
  }

  /** Two deposits, of which one is on its way out, data, a program, and a time lock. */
  #save(): void {
    const chain = this.#chain;
    const owner = this.#saver;
    const given = [10_000n, 20_000n].map((amount) => chain.deposit({ owner, capacity: amount * CKB }));
    chain.block();
    const depositedAt = chain.height;
    chain.create([
      { lock: owner, data: bytesToHex(Buffer.from("To be opened in 2036.")), capacity: 500n * CKB },
      { lock: owner, data: bytesToHex(Buffer.from("\x7fELF, or what begins like it")), capacity: 500n * CKB },
      { lock: owner, capacity: 1_000n * CKB },
      { lock: this.#locked, capacity: 7_000n * CKB },
    ]);
    chain.block();
    chain.withdraw({ deposit: given[1]!.cells[0]!, depositedAt });
    chain.block({ miner: owner });
  }

  /** Of twenty outputs, twelve are plain and eight hold one of fifteen tokens; one in two hundred is a Spore. */
  #fillBusyAddress(count: number): void {
    for (let left = count; left > 0; left -= OUTPUTS_A_TRANSACTION) {
      this.#giveToBusyAddress(Math.min(left, OUTPUTS_A_TRANSACTION));
      this.#traffic.add(this.#chain, 2);
      this.#chain.block();
    }
  }

  /** Fills the busy address further, with traffic in between. The maker also lends it much, and takes that back. */
  #giveNowAndThen(gifts: number): void {
    const blocks = this.#lastHeight - RECENT_BLOCKS - this.#chain.height;
    const between = Math.floor(blocks / (gifts + 1)) - 1;
    let lent: LiveCell | undefined;
    for (let given = 0; given < gifts; given++) {
      this.#trafficBlocks(between);
      if (given % 6 === 1) {
        const { type, token } = this.#ordinary[this.#random.between(2, 3)]!;
        const loan = { token: type, from: this.#maker, to: this.#busy, amount: units(token) / 1000n };
        [lent] = this.#chain.transfer(loan).cells;
      }
      if (given % 6 === 4) this.#chain.move({ cells: [lent!], to: this.#maker });
      this.#fillBusyAddress(OUTPUTS_A_TRANSACTION);
    }
  }

  #giveToBusyAddress(count: number): void {
    const chain = this.#chain;
    const maker = this.#maker;
    const random = this.#random;
    const inputs = chain.liveCells(maker);
    // A type id depends on the first input, which is the maker's oldest cell.
    const first = inputs[0]!;
    const given = new Map<string, bigint>();
    const outputs = Array.from({ length: count }, (_, index): CellSpec => {
      const lock = this.#busy;
      if (index % 200 === 199) {
        const type = sporeType(typeId(first, index));
        return { lock, type, data: sporeData("text/plain", `Ticket ${random.next()}`) };
      }
      if (index % 20 < 12) {
        return { lock, capacity: BigInt(random.between(64, 400)) * CKB + BigInt(random.below(Number(CKB))) };
      }
      const { type, token } = this.#ordinary[random.below(15)]!;
      // A hundred-thousandth of the supply at most; of MOOR's 12,000 without decimals that is 0, so 1.
      const most = units(token) / 100_000n;
      const amount = (most * BigInt(random.between(1, 1000))) / 1000n || 1n;
      const sum = (given.get(type.args) ?? 0n) + amount;
      if (sum > chain.balance(maker, type)) return { lock, capacity: 100n * CKB };
      given.set(type.args, sum);
      return { lock, type, data: amountData(amount) };
    });
    const types = new Map(inputs.flatMap(({ output: { type } }) => (type ? [[type.args, type]] : [])));
    const rest = [...types.values()].flatMap((type): CellSpec[] => {
      const left = chain.balance(maker, type) - (given.get(type.args) ?? 0n);
      return left > 0n ? [{ lock: maker, type, data: amountData(left) }] : [];
    });
    chain.transaction({ inputs, outputs: [...outputs, ...rest], change: maker });
  }

  /** Every ordinary token and a hundred Spores change hands in one block. */
  #busyBlock(): string {
    const chain = this.#chain;
    const dealer = this.#dealer;
    const gallery = this.#gallery;
    const tokens = new Set(this.#ordinary.map(({ type }) => type.args));
    const cells = chain.liveCells(dealer).filter(({ output }) => output.type && tokens.has(output.type.args));
    const spores = chain.liveCells(gallery).filter(({ output }) => output.type);
    for (let start = 0; start < cells.length; start += 12) {
      chain.move({ cells: cells.slice(start, start + 12), to: gallery, payer: dealer });
    }
    for (let start = 0; start < spores.length; start += 25) {
      chain.move({ cells: spores.slice(start, start + 25), to: dealer, payer: gallery });
    }
    this.#traffic.add(this.#chain, 5);
    return chain.block().header.hash;
  }

  #settleSpecialAddresses(): void {
    const chain = this.#chain;
    const small = this.#small;
    const emptied = this.#emptied;
    const lookAlikes = this.#lookAlikes;
    const [known] = this.#ordinary as [Issued, ...Issued[]];
    const paid = [500n, 700n, 900n].map((amount) => chain.transfer({ to: small, amount: amount * CKB }));
    chain.transfer({ token: known.type, from: this.#dealerOrMaker(known), to: small, amount: 12_345_678n });
    chain.block();
    chain.spore({ to: small, content: "The only one" });
    chain.transfer({ to: emptied, amount: 80_000n * CKB });
    chain.transfer({ token: known.type, from: this.#dealerOrMaker(known), to: emptied, amount: 5_000_000n });
    chain.transfer({
      token: known.type,
      from: this.#dealerOrMaker(known),
      to: lookAlikes,
      amount: 250_000_000n,
    });
    for (const { type } of this.#hostile.slice(0, 4)) {
      chain.transfer({ token: type, from: this.#brave, to: lookAlikes, amount: 250_000_000n });
    }
    chain.block();
    chain.move({ cells: [paid[0]!.cells[0]!, paid[1]!.cells[0]!], to: this.#random.pick(this.#users) });
    chain.move({ cells: chain.liveCells(emptied), to: this.#random.pick(this.#users) });
    chain.block();
  }

  #dealerOrMaker({ type }: Issued): NodeScript {
    return this.#chain.balance(this.#dealer, type) > 0n ? this.#dealer : this.#maker;
  }

  /** Twice the largest amount moves. */
  #hugeBlock(): string {
    const chain = this.#chain;
    const maximum = this.#maximum;
    const whales = [account("whale 1"), account("whale 2")] as const;
    chain.mint({
      token: maximum.type,
      issuer: maximum.issuer,
      to: [...whales, this.#busy].map((lock) => ({ lock, amount: MAXIMUM_AMOUNT })),
      info: specialTokens.maximum.info,
    });
    chain.block();
    const [first, second] = whales.map((whale) => chain.liveCells(whale)) as [LiveCell[], LiveCell[]];
    chain.move({ cells: first, to: whales[1] });
    chain.move({ cells: second, to: whales[0] });
    return chain.block().header.hash;
  }

  /** A token burnt completely, 255 decimals, data that is too short or too long, a Spore that moves twice in a block. */
  #oddities(): void {
    const chain = this.#chain;
    const brave = this.#brave;
    const burnt = this.#burnt;
    const deep = this.#deep;
    const random = this.#random;
    const holder = random.pick(this.#users);
    chain.mint({
      token: burnt.type,
      issuer: burnt.issuer,
      to: holder,
      amount: 1_000n * CKB,
      info: specialTokens.burnt.info,
    });
    chain.block();
    chain.burn({ token: burnt.type, from: holder, amount: 400n * CKB });
    chain.block();
    chain.burn({ token: burnt.type, from: holder, amount: 600n * CKB });
    chain.mint({
      token: deep.type,
      issuer: deep.issuer,
      to: random.pick(this.#users),
      amount: 10n ** 38n,
      info: specialTokens.deep.info,
    });
    chain.block();

    const { issuer, type } = this.#ordinary.find(({ token }) => token.key === "TESTS")!;
    chain.transaction({
      inputs: chain.liveCells(issuer).filter(isPlain),
      outputs: [
        { lock: brave, type, data: "0x" },
        { lock: brave, type, data: "0xffffff" },
        { lock: brave, type, data: amountData(0n) },
        { lock: brave, type, data: `${amountData(5n * CKB)}deadbeef` },
      ],
      change: issuer,
    });
    chain.block();

    const { cells } = chain.spore({ to: random.pick(this.#users), content: "Hot potato" });
    const passed = chain.move({ cells: [cells[0]!], to: random.pick(this.#users) });
    chain.move({ cells: [passed.cells[0]!], to: random.pick(this.#users) });
    chain.transfer({ to: this.#longLock, amount: 50_000n * CKB });
    chain.block();
  }

  /** Spends up to forty outputs of the busy address, spread over its list. */
  #spendFromBusyAddress(): void {
    const cells = this.#chain.liveCells(this.#busy);
    const count = Math.min(40, Math.floor(cells.length / 10));
    for (let spent = 0; spent < count; spent += 8) {
      const some = Array.from(
        { length: Math.min(8, count - spent) },
        (_, index) => cells[Math.floor(((spent + index) * cells.length) / count)]!,
      );
      this.#chain.move({ cells: some, to: this.#random.pick(this.#users) });
      this.#traffic.add(this.#chain, 1);
      this.#chain.block();
    }
  }

  /** Brings the busy address to exactly the requested number of outputs, in one block. */
  #topUpBusyAddress(): void {
    const missing = this.#liveOutputs - this.#chain.liveCells(this.#busy).length;
    if (missing < 0) {
      this.#chain.move({ cells: this.#chain.liveCells(this.#busy).slice(0, -missing), to: this.#users[0]! });
    }
    for (let left = missing; left > 0; left -= OUTPUTS_A_TRANSACTION) {
      this.#giveToBusyAddress(Math.min(left, OUTPUTS_A_TRANSACTION));
    }
    this.#traffic.add(this.#chain, 3);
    this.#chain.block();
  }

  /** Makes the abandoned branch, then the rest of the canonical one; returns the abandoned branch. */
  #reorganise(): NodeBlock[] {
    const chain = this.#chain;
    const abandoned = this.#abandoned;
    const busy = this.#busy;
    const small = this.#small;
    const height = chain.height;
    const other = chain.fork(height);

    // The canonical branch has one transaction a block earlier, and spends the contested cell differently.
    const both = chain.transfer({ to: this.#users[0]!, amount: 777n * CKB });
    const alsoBoth = chain.spore({ to: this.#users[1]!, content: "On both branches" });
    // The giver also pays the fee, so it needs a second cell.
    const plain = (user: NodeScript) => chain.liveCells(user).filter(isPlain);
    const giver = this.#users.slice(8).find((user) => plain(user).length > 1)!;
    const contested = plain(giver)[0]!;
    chain.move({ cells: [contested], to: this.#users[3]!, payer: giver });
    this.#traffic.add(this.#chain, 2);
    chain.block();

    other.include(alsoBoth.transaction);
    other.move({ cells: [contested], to: this.#users[4]!, payer: giver });
    other.mint({
      token: abandoned.type,
      issuer: abandoned.issuer,
      to: [this.#users[5]!, busy].map((lock) => ({ lock, amount: 1_000n * CKB })),
      info: specialTokens.abandoned.info,
    });
    other.block();
    other.include(both.transaction);
    other.move({ cells: other.liveCells(small), to: this.#users[6]! });
    other.move({ cells: other.liveCells(busy).slice(0, 5), to: this.#users[7]! });
    other.block();

    this.#trafficBlocks(this.#lastHeight - chain.height);
    return other.blocks.slice(height + 1);
  }

  /** Makes blocks of everyday transactions: fewer in the last hour, so that it does not move many times what a day does. */
  #trafficBlocks(blocks: number): void {
    for (let made = 0; made < blocks; made++) {
      const isRecent = this.#lastHeight - this.#chain.height <= LAST_HOUR_BLOCKS;
      this.#traffic.add(this.#chain, isRecent ? this.#random.between(1, 4) : this.#random.between(4, 9));
      this.#chain.block();
    }
  }

  // --- what the operator knows -------------------------------------------------------------------------

  #registry(): RegistryEntry[] {
    return [
      {
        id: "0x80000135",
        description: "The chain's own asset: pays for the room that outputs take.",
        keywords: ["ckb", "native"],
        tags: ["native"],
        public: true,
      },
      ...this.#ordinary.map(
        ({ id, token }): RegistryEntry => ({ id, public: true, ...(token.listing ?? {}) }),
      ),
      // Known to the operator, but not listed publicly.
      {
        id: this.#hostile[0]!.id,
        tags: ["warning"],
        description: "Not TIDE: the symbol has Cyrillic letters.",
        public: false,
      },
      { id: this.#maximum.id, tags: ["test"], public: false },
    ];
  }

  /** From a day before the chain starts, about every six hours. Prices walk, with trends; a dollar's stays near 1. */
  #pricesCsv(): string {
    const random = new Random(this.#random.next() + PRICES);
    const dayBefore = this.#times[0]! - 24 * HOUR;
    const end = this.#times.at(-1)!;
    const rows: [time: number, line: string][] = [];
    // All prices share a part of each move, so that what an address holds moves as a whole.
    const market = Array.from({ length: Math.ceil((end - dayBefore) / (6 * HOUR)) + 1 }, () =>
      random.between(-14, 14),
    );
    const walk = (id: string, usd: string, from: number, { isLively = false, isDollar = false }) => {
      const first = parseDecimal(usd, PRICE_DECIMALS)!;
      let price = first;
      let trend = 0;
      for (let time = from; time <= end; ) {
        rows.push([time, `${id},${new Date(time).toISOString()},${toUnits(price, PRICE_DECIMALS)}`]);
        const isQuick = isLively && time >= end - HOUR - SLOWEST_PRICE_MINUTES * MINUTE;
        if (random.below(10) === 0) trend = random.between(-8, 8);
        const common = market[Math.floor((time - dayBefore) / (6 * HOUR))]!;
        const change = isQuick || isDollar ? random.between(-2, 2) : common + trend + random.between(-12, 12);
        price = movedPrice(isDollar ? first : price, change);
        const slowest = isQuick ? 20 : SLOWEST_PRICE_MINUTES;
        time += random.between(slowest / 2, slowest) * MINUTE;
      }
    };
    walk("0x80000135", "0.0075", dayBefore, { isLively: true });
    for (const [index, { id, token }] of this.#ordinary.entries()) {
      if (token.price === undefined) continue;
      const from = token.pricedLate ? this.#times[Math.floor(this.#lastHeight / 2)]! : dayBefore;
      const isDollar = token.listing?.tags?.includes("stablecoin");
      walk(id, token.price, from, { isLively: index < LIVELY_TOKENS, isDollar });
    }
    rows.sort(([a], [b]) => a - b);
    return `asset_id,time,usd\n${rows.map(([, line]) => `${line}\n`).join("")}`;
  }
}

/** With six digits at most, as markets quote prices. */
export function movedPrice(price: bigint, thousandths: number): bigint {
  const moved = (price * BigInt(1000 + thousandths) + 500n) / 1000n;
  return moved - (moved % 10n ** BigInt(Math.max(0, moved.toString().length - 6)));
}
