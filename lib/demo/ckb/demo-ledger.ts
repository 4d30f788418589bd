import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import type { DemoLedger } from "#lib/demo/types.ts";
import type { DemoChain } from "./demo-chain.ts";

/** The generated chain as the core knows it, after the same checks that a node's blocks go through. */
export function demoLedger(chain: DemoChain): DemoLedger {
  const { network, forkHeight, registry, pricesCsv, notable } = chain;
  const verified = (block: NodeBlock) =>
    verifyBlock(block, network, `generated block ${Number(block.header.number)}`);
  return {
    network,
    native: NATIVE_ASSET,
    blocks: chain.blocks.map(verified),
    fork: chain.fork.map(verified),
    forkHeight,
    registry,
    pricesCsv,
    busyAddress: notable.busyAddress,
    notable: [
      { title: "20,000 outputs of one address", address: notable.busyAddress },
      { title: "a block that moves many assets", blockHash: notable.busyBlockHash },
      { title: "a token and its look-alike", address: notable.lookAlikeAddress },
    ],
    async startNode() {
      const { MiningNode } = await import("./demo-node.ts");
      return MiningNode.start(chain, NATIVE_ASSET.id);
    },
  };
}
