import { describe, expect, test } from "vitest";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { readFileBlock } from "./block.ts";
import { chain } from "./chain.ts";
import { terms } from "./terms.ts";

const mainnetShort = "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v";

describe("CKB behind the chain port", () => {
  test("names its networks, and refuses the name of another", () => {
    expect(chain.networks).toEqual(["mainnet", "testnet"]);
    expect(() => chain.parseAddress(mainnetShort, "signet")).toThrow(/no network called "signet"/);
  });

  test("reports a bad address by its code, whichever copy of the class threw it", () => {
    const error = Object.assign(new Error("from another copy"), { code: "address_checksum" });
    expect(isAddressError(error)).toBe(true);
    expect(isAddressError(Object.assign(new Error("no address"), { code: "ENOENT" }))).toBe(false);
    expect(isAddressError(new Error("no code"))).toBe(false);
    expect(() => chain.parseAddress(mainnetShort, "testnet")).toThrow(
      expect.objectContaining({ code: "address_network" }),
    );
  });

  test("detects the start of every address that it parses", () => {
    const { text } = chain.parseAddress(mainnetShort, null);
    for (const address of [text, mainnetShort, mainnetShort.toUpperCase()]) {
      expect(terms.detectAddress(address)).toMatchObject({ network: "mainnet" });
    }
    const byHash = `lock-hash:0x${"0a".repeat(32)}`;
    expect(terms.detectAddress(byHash.toUpperCase())).toEqual({ address: byHash, network: null });
    expect(chain.parseAddress(byHash, "testnet").text).toBe(byHash);
    expect(terms.detectAddress(byHash.slice(0, -1))).toMatchObject({
      fault: expect.stringMatching(/64 hex/),
    });
    expect(terms.detectAddress("0x12")).toBeNull();
  });

  test("reads blocks from files and from a node alike", async () => {
    const builder = new ChainBuilder();
    builder.emptyBlocks(3);
    await using node = await StandInNode.start({ blocks: builder.blocks });
    const source = await chain.node.connect(node.url);
    try {
      const { network } = await source.identity();
      const fromFiles = builder.blocks.map((block) => readFileBlock(block, "f").verify(network));
      const fromNode = await source.blocks(0, 3);
      expect(fromNode.map(({ bytes, ...block }) => block)).toEqual(fromFiles);
    } finally {
      source.close();
    }
  });
});
