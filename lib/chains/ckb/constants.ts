import type { NativeAsset } from "#lib/contract/ledger.ts";
import type { Network } from "./known-scripts.ts";

/** Cells hold capacity, counted in shannons. The id is SLIP-44's coin type 309 with the top bit set. */
export const NATIVE_ASSET: NativeAsset = { id: "0x80000135", name: "CKB", symbol: "CKB", decimals: 8 };

/** `Output.kind` of a block's reward, which matures before it can be spent. */
export const REWARD = "cellbase";

/** The latest time of a `Date`, in milliseconds since the Unix epoch (ECMA-262, "Time Values and Time Range"). */
export const LATEST_TIME = 8.64e15;

/** Hash of block 0, which identifies a public network. */
export const GENESIS_HASHES: Readonly<Record<Network, string>> = {
  mainnet: "0x92b197aa1fba0f63633922c61c92375c9c074a93e85963554f5499fe1450d0e5",
  testnet: "0x10639e0895502b5688a6be8cf69460d76541bfa4821629d86d62ba0aae3f9606",
};
