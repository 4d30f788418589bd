/** Parameters of the chains that share Bitcoin's formats: `chainparams.cpp` of Bitcoin Core and of Litecoin Core. */
import type { NativeAsset } from "#lib/contract/ledger.ts";

export interface Network {
  /** As `--network` takes it. */
  name: string;
  /** Version bytes of base58 addresses: the first one is written, the others are read, too. */
  p2pkh: readonly number[];
  p2sh: readonly number[];
  /** What a bech32 address begins with, before the `1`. */
  bech32: string;
  /** The easiest target that a block's hash may have to meet. */
  easiestTarget: bigint;
}

export interface Currency {
  name: string;
  native: NativeAsset;
  /** Of all coins, in the smallest unit: no output has more. */
  maxAmount: bigint;
  /** What a header's hash is for the proof of work; a block's name is its double SHA-256 on each chain. */
  proofOfWork: "sha256d" | "scrypt";
  /** MimbleWimble extension blocks, and what their addresses begin with. */
  mweb: { addressStarts: readonly string[] } | null;
  /** Where two networks share a form of addresses, the first one counts. */
  networks: readonly Network[];
}

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
    { ...bitcoinTest, name: "mainnet", p2pkh: [0], p2sh: [5], bech32: "bc" },
    { ...bitcoinTest, name: "testnet" },
    { ...bitcoinTest, name: "signet", easiestTarget: 0x0377aen << 216n },
    { ...bitcoinTest, name: "regtest", bech32: "bcrt", easiestTarget: REGTEST_TARGET },
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
    { ...litecoinTest, name: "mainnet", p2pkh: [48], p2sh: [50, 5], bech32: "ltc" },
    { ...litecoinTest, name: "testnet" },
    { ...litecoinTest, name: "regtest", bech32: "rltc", easiestTarget: REGTEST_TARGET },
  ],
};
