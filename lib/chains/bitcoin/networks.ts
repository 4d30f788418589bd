/** Parameters of the chains that share Bitcoin's formats: `chainparams.cpp` of Bitcoin Core and of Litecoin Core. */
import type { NativeAsset } from "#lib/contract/ledger.ts";

export interface Network {
  /** The name in `--network`. */
  name: string;
  /** The name in the node's `getblockchaininfo`. */
  chain: string;
  /** The bytes before each block in a node's files, in hex. */
  magic: string;
  /** Hash of the first block. */
  genesis: string;
  /** Version bytes of base58 addresses. Addresses are written with the first one. */
  p2pkh: readonly number[];
  p2sh: readonly number[];
  /** The start of bech32 addresses, before the `1`. */
  bech32: string;
  /** The easiest target that a block may have. */
  easiestTarget: bigint;
  /** The height from which rewards must begin with the block's height (`BIP34Height`). */
  heightsSaidFrom: number;
  /** The height from which each block must have an extension (MWEB's activation); undefined if that is not fixed. */
  extendedFrom?: number;
  /** The first block's time, in seconds since the Unix epoch. */
  born: number;
  /** Bounds of the average time between blocks since the first one, in seconds. */
  pace: readonly [least: number, most: number];
  /** Blocks whose reward a later one with the same id replaces (BIP 30; `IsBIP30Unspendable` of Bitcoin Core). */
  overwritten?: readonly string[];
  /** A currency that has forked from this one: the height of its first own block, and the start of that block's hash. */
  other?: { name: string; height: number; hash: string };
}

export interface Currency {
  name: string;
  native: NativeAsset;
  /** The sum of all coins, in the smallest unit, which no transaction exceeds. */
  maxAmount: bigint;
  /** The hash that must meet the target. Block hashes are always double SHA-256. */
  proofOfWork: "sha256d" | "scrypt";
  /** MimbleWimble extension blocks, and the start of their addresses. */
  mweb: { addressStarts: readonly string[] } | null;
  /** If two networks share a form of addresses, the first one takes precedence. */
  networks: readonly Network[];
}

export const HEADER_BYTES = 80;

const COIN = 100_000_000n;
const REGTEST_TARGET = (1n << 255n) - 1n;

/** Test networks have had blocks faster than their rules intend, or none for a long time. */
const TEST_PACE = [30, Number.POSITIVE_INFINITY] as const;
const paceOf = (intended: number) => [intended / 2, intended * 2] as const;
/** Versions differ in regtest's `BIP34Height`: 500 or 1. Nodes write the height into all blocks that they make. */
const regtest = { born: 1_296_688_602, heightsSaidFrom: 500, easiestTarget: REGTEST_TARGET };

const bitcoinTest = {
  p2pkh: [111],
  p2sh: [196],
  bech32: "tb",
  easiestTarget: (1n << 224n) - 1n,
  pace: TEST_PACE,
};
export const bitcoin: Currency = {
  name: "Bitcoin",
  // SLIP-44 coin type, top bit set.
  native: { id: "0x80000000", name: "Bitcoin", symbol: "BTC", decimals: 8 },
  maxAmount: 21_000_000n * COIN,
  proofOfWork: "sha256d",
  mweb: null,
  networks: [
    {
      ...bitcoinTest,
      name: "mainnet",
      chain: "main",
      magic: "f9beb4d9",
      genesis: "0x000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
      born: 1_231_006_505,
      pace: paceOf(600),
      heightsSaidFrom: 227_931,
      p2pkh: [0],
      p2sh: [5],
      bech32: "bc",
      overwritten: [
        "0x00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e",
        "0x00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f",
      ],
      other: { name: "Bitcoin Cash", height: 478_559, hash: "0x000000000000000000651ef9" },
    },
    {
      ...bitcoinTest,
      name: "testnet",
      chain: "test",
      magic: "0b110907",
      genesis: "0x000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
      born: 1_296_688_602,
      heightsSaidFrom: 21_111,
    },
    {
      ...bitcoinTest,
      name: "signet",
      chain: "signet",
      magic: "0a03cf40",
      genesis: "0x00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
      born: 1_598_918_400,
      heightsSaidFrom: 1,
      easiestTarget: 0x0377aen << 216n,
    },
    {
      ...bitcoinTest,
      ...regtest,
      name: "regtest",
      chain: "regtest",
      magic: "fabfb5da",
      genesis: "0x0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
      bech32: "bcrt",
    },
  ],
};

const litecoinTest = {
  p2pkh: [111],
  p2sh: [58, 196],
  bech32: "tltc",
  easiestTarget: (1n << 236n) - 1n,
  pace: TEST_PACE,
};
export const litecoin: Currency = {
  name: "Litecoin",
  native: { id: "0x80000002", name: "Litecoin", symbol: "LTC", decimals: 8 },
  maxAmount: 84_000_000n * COIN,
  proofOfWork: "scrypt",
  mweb: { addressStarts: ["ltcmweb1", "tmweb1"] },
  networks: [
    {
      ...litecoinTest,
      name: "mainnet",
      chain: "main",
      magic: "fbc0b6db",
      genesis: "0x12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2",
      born: 1_317_972_665,
      pace: paceOf(150),
      heightsSaidFrom: 710_000,
      extendedFrom: 2_257_920,
      p2pkh: [48],
      p2sh: [50, 5],
      bech32: "ltc",
    },
    {
      ...litecoinTest,
      name: "testnet",
      chain: "test",
      magic: "fdd2c8f1",
      genesis: "0x4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0",
      born: 1_486_949_366,
      heightsSaidFrom: 76,
      extendedFrom: 2_215_584,
    },
    {
      ...litecoinTest,
      ...regtest,
      name: "regtest",
      chain: "regtest",
      magic: "fabfb5da",
      genesis: "0x530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
      bech32: "rltc",
    },
  ],
};

/** Throws if the currency has no such network. */
export function networkNamed({ name, networks }: Currency, wanted: string): Network {
  const network = networks.find((each) => each.name === wanted);
  if (!network) throw new Error(`${name} has no network called ${JSON.stringify(wanted)}`);
  return network;
}
