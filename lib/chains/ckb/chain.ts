import { firstNetwork } from "#lib/contract/block-file.ts";
import { HASH } from "#lib/contract/block-text.ts";
import type { Chain } from "#lib/contract/chain.ts";
import { parseAddress } from "./address.ts";
import { parseCells, readFiles } from "./block.ts";
import { NETWORKS, networkNamed } from "./known-scripts.ts";
import { WITHDRAWAL } from "./output-kinds.ts";
import { outputStates } from "./output-states.ts";
import { terms } from "./terms.ts";

/** Nervos CKB. Code that only some commands need is imported when they use it. */
export const chain = {
  terms,
  networks: NETWORKS,
  parseAddress: (text, network) => parseAddress(text, network === null ? null : networkNamed(network)),
  assetIdFault: (id) =>
    id === terms.native.id || HASH.test(id) ? null : `is neither ${terms.native.id} nor 0x and 64 hex digits`,
  outputStates,
  paidWhenSpent: WITHDRAWAL,
  blockFiles: {
    description: "blocks as a CKB node's get_block returns them",
    networkOf: (file) => firstNetwork(readFiles([file])),
    read: readFiles,
    previousOutputs: {
      option: "cells",
      help: `previous outputs: { "<tx hash>:<index in hex>": { "output": …, "data": … } }`,
      read: (json, network, where) => parseCells(json, networkNamed(network), where),
    },
  },
  node: {
    help: "the node's JSON-RPC, such as http://127.0.0.1:8114",
    hasCookie: false,
    needsForEarlier: "",
    async connect(url, { signal } = {}) {
      const { CkbNodeThread } = await import("./node-thread.ts");
      return new CkbNodeThread(url, signal);
    },
  },
} satisfies Chain;
