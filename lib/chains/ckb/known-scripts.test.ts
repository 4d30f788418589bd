import { describe, expect, test } from "vitest";
import { scriptHash } from "./hashes.ts";
import { inscriptionCode, knownLockName, knownScript } from "./known-scripts.ts";
import type { HashType, NodeScript } from "./schema.ts";

function script(codeHash: string, hashType: HashType): NodeScript {
  return { code_hash: codeHash, hash_type: hashType, args: "0x00" };
}

const mainnetSudt = script("0x5e7a36a77e68eecc013dfa2fe6a23f3b6c344b04005808694ae6dd45eea4cfd5", "type");
const xudt = script("0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", "data1");

describe("known scripts", () => {
  test("are known on their own network only", () => {
    expect(knownScript(mainnetSudt, "mainnet")).toEqual({ name: "sUDT", role: "udt", standard: "sUDT" });
    expect(knownScript(mainnetSudt, "testnet")).toBeNull();
    expect(knownScript(xudt, "mainnet")?.standard).toBe("xUDT");
    expect(knownScript(xudt, "testnet")?.standard).toBe("xUDT");
  });

  test("are known by code hash and hash type together", () => {
    expect(knownScript({ ...xudt, hash_type: "data" }, "mainnet")).toBeNull();
    expect(knownScript({ ...mainnetSudt, hash_type: "data1" }, "mainnet")).toBeNull();
  });

  test("cannot be changed by who looks them up", () => {
    expect(Object.isFrozen(knownScript(xudt, "mainnet"))).toBe(true);
  });

  test("do not count DID, m-NFT and CoTA cells as tokens", () => {
    for (const codeHash of [
      "0xcfba73b58b6f30e70caed8a999748781b164ef9a1e218424a6fb55ebf641cb33",
      "0x2b24f0d644ccbdd77bbf86b27c8cca02efa0ad051e447c212636d9ee7acaaec9",
      "0x1122a4fb54697cf2e6e3a96c9d80fd398a936559b90954c6e88eb7ba0cf652df",
    ]) {
      expect(knownScript(script(codeHash, "type"), "mainnet")?.role).toBe("other");
    }
  });

  test("name the locks of the genesis block on both networks", () => {
    const lock = script("0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8", "type");
    const multisig = script("0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8", "type");
    for (const network of ["mainnet", "testnet"] as const) {
      expect(knownLockName(lock, network)).toBe("secp256k1-blake160");
      expect(knownLockName(multisig, network)).toBe("secp256k1 multisig");
      expect(knownLockName({ ...lock, hash_type: "data" }, network)).toBeNull();
    }
  });

  test("name a lock on the network that has it", () => {
    const omnilock = script("0x9b819793a64463aed77c615d6cb226eea5487ccfc0783043a587254cda2b6f26", "type");
    expect(knownLockName(omnilock, "mainnet")).toBe("Omnilock");
    expect(knownLockName(omnilock, "testnet")).toBeNull();
  });

  test("give an inscription's token the id that it has on each network", () => {
    // The hash of an info cell's type script, and the token's id, of a closed inscription.
    for (const [network, infoHash, tokenId] of [
      [
        "mainnet",
        "0xef95cfef4fa0d6149c3506fa46c82ee651e3b87fc63b98fb771df7d7aa81ba28",
        "0xdc7ffa5799a9d9d0701650c250b3fd77afac59ce7279dc4fcb7944bc0bd568a0",
      ],
      [
        "testnet",
        "0xe4354bda0d29a0f5389a5044f814c284a04d3a3de79b13a183dbd79562ffd8f4",
        "0x0637334b6867044f27951542c3eae615ed0af860502faebc3788680c09967c4d",
      ],
    ] as const) {
      const { owner, token } = inscriptionCode[network];
      expect(scriptHash({ ...token, args: scriptHash({ ...owner, args: infoHash }) })).toBe(tokenId);
    }
  });
});
