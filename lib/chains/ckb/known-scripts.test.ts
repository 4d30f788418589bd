import { describe, expect, test } from "vitest";
import { scriptHash } from "./hashes.ts";
import { inscriptionCode, knownLock, knownScript } from "./known-scripts.ts";
import type { HashType, NodeScript } from "./schema.ts";
import { terms } from "./terms.ts";

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
    for (const [codeHash, network, standard] of [
      ["0xcfba73b58b6f30e70caed8a999748781b164ef9a1e218424a6fb55ebf641cb33", "mainnet", "DID"],
      ["0x2b24f0d644ccbdd77bbf86b27c8cca02efa0ad051e447c212636d9ee7acaaec9", "mainnet", "m-NFT"],
      ["0x24b04faf80ded836efc05247778eec4ec02548dab6e2012c0107374aa3f68b81", "mainnet", "m-NFT"],
      ["0xd51e6eaf48124c601f41abe173f1da550b4cbca9c6a166781906a287abbb3d9a", "mainnet", "m-NFT"],
      ["0xb59879b6ea6fff985223117fa499ce84f8cfb028c4ffdfdf5d3ec19e905a11ed", "testnet", "m-NFT"],
      ["0x095b8c0b4e51a45f953acd1fcd1e39489f2675b4bc94e7af27bb38958790e3fc", "testnet", "m-NFT"],
      ["0x1122a4fb54697cf2e6e3a96c9d80fd398a936559b90954c6e88eb7ba0cf652df", "mainnet", "CoTA"],
      ["0x90ca618be6c15f5857d3cbd09f9f24ca6770af047ba9ee70989ec3b229419ac7", "mainnet", "CoTA"],
      ["0x9302db6cc1344b81a5efee06962abcb40427ecfcbe69d471b01b2658ed948075", "testnet", "CoTA"],
      ["0x4a06164dc34dccade5afe3e847a97b6db743e79f5477fa3295acf02849c5984a", "mainnet", "did:ckb"],
      ["0x510150477b10d6ab551a509b71265f3164e9fd4137fcb5a4322f49f03092c7c5", "testnet", "did:ckb"],
    ] as const) {
      const other = network === "mainnet" ? "testnet" : "mainnet";
      expect(knownScript(script(codeHash, "type"), network)).toMatchObject({ role: "other", standard });
      expect(knownScript(script(codeHash, "type"), other)).toBeNull();
      expect(terms.outputKind(standard)).not.toBeNull();
    }
  });

  test("name the locks of the genesis block on both networks", () => {
    const lock = script("0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8", "type");
    const multisig = script("0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8", "type");
    for (const [network, hash, other] of [
      ["mainnet", "0xd1a9f877aed3f5e07cb9c52b61ab96d06f250ae6883cc7f0a2423db0976fc821", "testnet"],
      ["testnet", "0x765b3ed6ae264b335d07e73ac332bf2c0f38f8d3340ed521cb447b4c42dd5f09", "mainnet"],
    ] as const) {
      expect(knownLock(script(hash, "type"), network)?.name).toBe("secp256k1 multisig v2 beta");
      expect(knownLock(script(hash, "data1"), network)).toBeNull();
      expect(knownLock(script(hash, "type"), other)).toBeNull();
    }
    for (const network of ["mainnet", "testnet"] as const) {
      expect(knownLock(lock, network)?.name).toBe("secp256k1-blake160");
      expect(knownLock(multisig, network)?.name).toBe("secp256k1 multisig");
      expect(knownLock({ ...lock, hash_type: "data" }, network)).toBeNull();
    }
  });

  test("say on which of Bitcoin's networks a lock's outputs are", () => {
    for (const [codeHash, name] of [
      ["0x61ca7a4796a4eb19ca4f0d065cb9b10ddcf002f10f7cbb810c706cb6bb5c3248", "RGB++ (Bitcoin testnet3)"],
      ["0xd07598deec7ce7b5665310386b4abd06a6d48843e953c5cc2112ad0d5a220364", "RGB++ (Bitcoin signet)"],
      ["0x00cdf8fab0f8ac638758ebf5ea5e4052b1d71e8a77b9f43139718621f6849326", "Bitcoin time lock (testnet3)"],
      ["0x80a09eca26d77cea1f5a69471c59481be7404febf40ee90f886c36a948385b55", "Bitcoin time lock (signet)"],
    ] as const) {
      expect(knownLock(script(codeHash, "type"), "testnet")?.name).toBe(name);
      expect(knownLock(script(codeHash, "type"), "mainnet")).toBeNull();
    }
  });

  test("name a lock on the network that has it", () => {
    const omnilock = script("0x9b819793a64463aed77c615d6cb226eea5487ccfc0783043a587254cda2b6f26", "type");
    expect(knownLock(omnilock, "mainnet")?.name).toBe("Omnilock");
    expect(knownLock(omnilock, "testnet")).toBeNull();
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
      const { owner, tokens } = inscriptionCode[network];
      expect(scriptHash({ ...tokens[0]!, args: scriptHash({ ...owner, args: infoHash }) })).toBe(tokenId);
    }
  });
});
