/** Parameters of the chains that share Bitcoin's formats: `chainparams.cpp` of Bitcoin Core and of Litecoin Core. */
import type { NativeAsset } from "#lib/contract/ledger.ts";

export interface Network {
  /** As `--network` takes it. */
  name: string;
  /** As nodes call it (`getblockchaininfo`). */
  chain: string;
  /** What its nodes write before each block of a file, and send before each message. */
  magic: string;
  /** The hash of its first block, as users write it. */
  genesis: string;
  /** Version bytes of base58 addresses: the first one is written, the others are read, too. */
  p2pkh: readonly number[];
  p2sh: readonly number[];
  /** What a bech32 address begins with, before the `1`. */
  bech32: string;
  /** The easiest target that a block's hash may have to meet. */
  easiestTarget: bigint;
  /**
   * Blocks whose reward has the name of a later one's, which takes its place among the unspent outputs (BIP 30; Bitcoin Core's
   * `IsBIP30Unspendable`).
   */
  overwritten?: readonly string[];
  /** How the hash of another currency's block begins that has this one's blocks below it. */
  other?: { name: string; height: number; hash: string };
}

export interface Currency {
  name: string;
  native: NativeAsset;
  /** Of all coins, in the smallest unit: the outputs of a transaction have no more together. */
  maxAmount: bigint;
  /** What a header's hash is for the proof of work; a block's name is its double SHA-256 on each chain. */
  proofOfWork: "sha256d" | "scrypt";
  /** MimbleWimble extension blocks, and what their addresses begin with. */
  mweb: { addressStarts: readonly string[] } | null;
  /** Where two networks share a form of addresses, the first one counts. */
  networks: readonly Network[];
}

export const HEADER_BYTES = 80;

const COIN = 100_000_000n;
const REGTEST_TARGET = (1n << 255n) - 1n;

const bitcoinTest = { p2pkh: [111], p2sh: [196], bech32: "tb", easiestTarget: (1n << 224n) - 1n };
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
    },
    {
      ...bitcoinTest,
      name: "signet",
      chain: "signet",
      magic: "0a03cf40",
      genesis: "0x00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
      easiestTarget: 0x0377aen << 216n,
    },
    {
      ...bitcoinTest,
      name: "regtest",
      chain: "regtest",
      magic: "fabfb5da",
      genesis: "0x0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
      bech32: "bcrt",
      easiestTarget: REGTEST_TARGET,
    },
  ],
};

const litecoinTest = { p2pkh: [111], p2sh: [58, 196], bech32: "tltc", easiestTarget: (1n << 236n) - 1n };
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
    },
    {
      ...litecoinTest,
      name: "regtest",
      chain: "regtest",
      magic: "fabfb5da",
      genesis: "0x530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
      bech32: "rltc",
      easiestTarget: REGTEST_TARGET,
    },
  ],
};

/** Throws if the currency has no such network. */
export function networkNamed({ name, networks }: Currency, wanted: string): Network {
  const network = networks.find((each) => each.name === wanted);
  if (!network) throw new Error(`${name} has no network called ${JSON.stringify(wanted)}`);
  return network;
}
