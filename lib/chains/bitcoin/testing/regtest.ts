/**
 * A chain in regtest that needs no node and is the same each time, for recorded examples and for pages. Its hashes, work and
 * amounts are right; nobody has signed its payments.
 */
import { addressOf } from "../address.ts";
import { merkleRoot } from "../block.ts";
import { scryptHash, sha256, sha256d, toName } from "../hashes.ts";
import { type Currency, HEADER_BYTES, networkNamed } from "../networks.ts";
import { BEGINNING } from "./litecoind.ts";
import { SUBSIDY, unsigned } from "./payments.ts";

const LAST = 130;
/** Blocks until a reward may be spent. */
const MATURITY = 100;
const SECONDS_PER_BLOCK = 150;
const TARGET = 0x207fffff;
/** Time of the first block. */
const FIRST_TIME = 1_296_688_602;
const FIRST: Record<string, { nonce: number; reward: string }> = {
  Bitcoin: {
    nonce: 2,
    reward:
      "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000",
  },
  Litecoin: {
    nonce: 0,
    reward:
      "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4804ffff001d0104404e592054696d65732030352f4f63742f32303131205374657665204a6f62732c204170706c65e280997320566973696f6e6172792c2044696573206174203536ffffffff0100f2052a010000004341040184710fa689ad5023690c80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c45070ac7b03a9ac00000000",
  },
};

const hash = (name: string, length: number) => sha256(Buffer.from(name)).subarray(0, length).toString("hex");
const key = (name: string) => `02${hash(name, 32)}`;
/** Who is paid, each with another kind of script. */
export const OWNERS = {
  miner: `76a914${hash("miner", 20)}88ac`,
  shop: `0014${hash("shop", 20)}`,
  saver: `a914${hash("saver", 20)}87`,
  vault: `0020${hash("vault", 32)}`,
  artist: `5120${hash("artist", 32)}`,
  pioneer: `21${key("pioneer")}ac`,
  partners: `51${["one", "two"].map((name) => `21${key(name)}`).join("")}52ae`,
};
type Owner = keyof typeof OWNERS;
/** A script that nobody can spend. */
export const NOTE = `6a${Buffer.from("\x0bhello chain").toString("hex")}`;

/** The id of a transaction in hex, without `0x`. */
export const idOf = (hex: string): string => toName(sha256d(Buffer.from(hex, "hex"))).slice(2);

/** The first transaction of a block, in hex. Its proof begins with the height (BIP 34), and ends with bytes of the caller's. */
export const rewardOf = (height: number, script: string, proofEnd = ""): string =>
  unsigned(
    [
      {
        txid: "00".repeat(32),
        vout: 0xffffffff,
        proof: `03${Buffer.of(height, height >> 8, 0).toString("hex")}${proofEnd}`,
      },
    ],
    [{ amount: SUBSIDY, script }],
  );

interface BlockPlan {
  height: number;
  /** The hash of the block below. */
  parent: string;
  transactions: string[];
  /** In seconds since the Unix epoch. */
  time: number;
}

/** A block of regtest with its work, in hex. */
export function mined(
  { proofOfWork }: Currency,
  { height, parent, transactions, time }: BlockPlan,
  firstNonce = 0,
): { hash: string; hex: string } {
  const header = headerOf(height, parent, transactions, time);
  const work = proofOfWork === "scrypt" ? scryptHash : sha256d;
  let nonce = firstNonce;
  do header.writeUInt32LE(nonce++, 76);
  while (
    // Under this target, every other hash is low enough.
    work(header).at(-1)! > 0x7f
  );
  const count = Buffer.of(transactions.length).toString("hex");
  const hex = `${header.toString("hex")}${count}${transactions.join("")}`;
  return { hash: toName(sha256d(header)), hex };
}

/** The first block of regtest. */
export function firstBlock(currency: Currency): { hash: string; hex: string } {
  const { reward, nonce } = FIRST[currency.name]!;
  const parent = `0x${"00".repeat(32)}`;
  return mined(currency, { height: 0, parent, transactions: [reward], time: FIRST_TIME }, nonce);
}

export interface Regtest {
  /** Blocks from the first one on, as a file has them. */
  lines: string[];
  hashes: string[];
  addresses: Record<Owner, string>;
}

/** @param endsAt time of the last block, in seconds since the Unix epoch */
export function regtestOf(currency: Currency, endsAt = BEGINNING): Regtest {
  const network = networkNamed(currency, "regtest");
  const names = Object.keys(OWNERS) as Owner[];
  const hashes: string[] = [];
  const rewards: string[] = [];
  /** Unspent outputs by owner. */
  const coins: { txid: string; vout: number; amount: bigint; owner: Owner }[] = [];

  /** Pays the amounts, and the rest back. */
  const pay = (
    coin: { txid: string; vout: number; amount: bigint },
    from: Owner,
    payments: [Owner, bigint][],
  ): string => {
    const rest = coin.amount - payments.reduce((sum, [, amount]) => sum + amount, 0n);
    const outputs: [Owner, bigint][] = [...payments, [from, rest]];
    const hex = unsigned(
      [coin],
      outputs.map(([owner, amount]) => ({ amount, script: OWNERS[owner] })),
    );
    const txid = idOf(hex);
    for (const [vout, [owner, amount]] of outputs.entries()) coins.push({ txid, vout, amount, owner });
    return hex;
  };

  const first = firstBlock(currency);
  hashes.push(first.hash);
  // No reward of the first block can be spent.
  rewards.push("");
  const next = Array.from({ length: LAST }, (_, i) => {
    const height = i + 1;
    const transactions = [rewardOf(height, height % 13 === 0 ? OWNERS.pioneer : OWNERS.miner)];
    rewards.push(idOf(transactions[0]!));
    const mature = height - MATURITY;
    if (mature > 0 && mature % 13 !== 0) {
      const share = BigInt(mature) * 12_345_678n;
      const paid = [0, 2, 3].map((step): [Owner, bigint] => [
        names[1 + ((mature + step) % (names.length - 1))]!,
        share * BigInt(step + 1),
      ]);
      transactions.push(pay({ txid: rewards[mature]!, vout: 0, amount: SUBSIDY }, "miner", paid));
    }
    if (height % 4 === 0) {
      const at = coins.findIndex(({ owner }) => owner === "shop");
      const [coin] = at < 0 ? [] : coins.splice(at, 1);
      if (coin) transactions.push(pay(coin, "shop", [["saver", coin.amount / 3n]]));
    }
    if (height === LAST) {
      const [coin] = coins.splice(
        coins.findIndex(({ owner }) => owner === "vault"),
        1,
      );
      transactions.push(
        unsigned(
          [coin!],
          [
            { amount: 0n, script: NOTE },
            { amount: coin!.amount, script: OWNERS.artist },
          ],
        ),
      );
    }
    const time = endsAt - (LAST - height) * SECONDS_PER_BLOCK;
    const { hash, hex } = mined(currency, { height, parent: hashes.at(-1)!, transactions, time });
    hashes.push(hash);
    return `${height} ${hex}`;
  });
  const lines = [`0 ${first.hex}`, ...next];
  const addresses = Object.fromEntries(
    Object.entries(OWNERS).map(([name, script]) => [
      name,
      addressOf(Buffer.from(script, "hex"), network).text,
    ]),
  ) as Record<Owner, string>;
  return { lines, hashes, addresses };
}

/** A header whose work is still to be done. */
function headerOf(height: number, parent: string, transactions: string[], time: number): Buffer {
  const { root } = merkleRoot(transactions.map((hex) => sha256d(Buffer.from(hex, "hex"))));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(height === 0 ? 1 : 0x20000000, 0);
  Buffer.from(parent.slice(2), "hex").reverse().copy(header, 4);
  root.copy(header, 36);
  header.writeUInt32LE(time, 68);
  header.writeUInt32LE(TARGET, 72);
  return header;
}
