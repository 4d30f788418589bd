/** Schemas of a CKB node's JSON blocks (`BlockView` in its JSON-RPC reference). Other keys are ignored. */
import { z } from "zod";

const NOT_HEX_DIGIT = /[^0-9a-f]/;

function hexText(digits: number, what: string) {
  const pattern = new RegExp(`^0x[0-9a-f]{${digits}}$`);
  return z.string().regex(pattern, `Expected ${what}: 0x and ${digits} lower-case hex digits`);
}

function unsignedInteger(bits: 32 | 64 | 128) {
  const pattern = new RegExp(`^0x(0|[1-9a-f][0-9a-f]{0,${bits / 4 - 1}})$`);
  return z
    .string()
    .regex(pattern, `Expected an unsigned integer of ${bits} bits: 0x and hex digits without leading zeros`);
}

export const nodeHash = hexText(64, "a hash");
const uint32 = unsignedInteger(32);
const uint64 = unsignedInteger(64);
const uint128 = unsignedInteger(128);
const proposalId = hexText(20, "a proposal's short id");

// Searching for an invalid digit takes linear time and no stack, however long the text is.
const bytes = z
  .string()
  .refine(
    (text) => text.startsWith("0x") && text.length % 2 === 0 && !NOT_HEX_DIGIT.test(text.slice(2)),
    "Expected bytes: 0x and pairs of lower-case hex digits",
  );

/** Determines how a script's code is found, and which version of the virtual machine runs it. */
export type HashType = "type" | "data" | `data${number}`;

/**
 * The byte of each hash type. 1 is `type`. An even byte is code by its hash, for the machine version of half that number:
 * 0, 1 and 2 exist today (RFC 32, RFC 51). Nodes reject other bytes (`ScriptHashType` in ckb's `gen-types`).
 */
export const hashTypeBytes: ReadonlyMap<HashType, number> = new Map<HashType, number>([
  ["type", 1],
  ["data", 0],
  ...Array.from({ length: 127 }, (_, i): [HashType, number] => [`data${i + 1}`, 2 * (i + 1)]),
]);

export const nodeScript = z.object({
  code_hash: nodeHash,
  hash_type: z.custom<HashType>((name) => hashTypeBytes.has(name as HashType), {
    error:
      "Unknown hash type: it may be newer than this version of the service, which then has to be upgraded",
  }),
  args: bytes,
});
export type NodeScript = z.infer<typeof nodeScript>;

/** Capacity in shannons. */
export const nodeCellOutput = z.object({ capacity: uint64, lock: nodeScript, type: nodeScript.nullable() });
export type NodeCellOutput = z.infer<typeof nodeCellOutput>;

const nodeOutPoint = z.object({ tx_hash: nodeHash, index: uint32 });
export type NodeOutPoint = z.infer<typeof nodeOutPoint>;

const nodeCellInput = z.object({ previous_output: nodeOutPoint, since: uint64 });
export type NodeCellInput = z.infer<typeof nodeCellInput>;

const nodeCellDep = z.object({ out_point: nodeOutPoint, dep_type: z.enum(["code", "dep_group"]) });
export type NodeCellDep = z.infer<typeof nodeCellDep>;

export const nodeTransaction = z
  .object({
    hash: nodeHash,
    version: uint32,
    cell_deps: z.array(nodeCellDep),
    header_deps: z.array(nodeHash),
    inputs: z.array(nodeCellInput),
    outputs: z.array(nodeCellOutput),
    outputs_data: z.array(bytes),
    witnesses: z.array(bytes),
  })
  .refine((transaction) => transaction.outputs.length === transaction.outputs_data.length, {
    path: ["outputs_data"],
    message: "Expected one for each output",
  });
export type NodeTransaction = z.infer<typeof nodeTransaction>;

/** Timestamp in milliseconds since the Unix epoch. */
export const nodeHeader = z.object({
  hash: nodeHash,
  version: uint32,
  compact_target: uint32,
  timestamp: uint64,
  number: uint64,
  epoch: uint64,
  parent_hash: nodeHash,
  transactions_root: nodeHash,
  proposals_hash: nodeHash,
  extra_hash: nodeHash,
  dao: nodeHash,
  nonce: uint128,
});
export type NodeHeader = z.infer<typeof nodeHeader>;

export const nodeUncle = z.object({ header: nodeHeader, proposals: z.array(proposalId) });
export type NodeUncle = z.infer<typeof nodeUncle>;

export const nodeBlock = z.object({
  header: nodeHeader,
  uncles: z.array(nodeUncle).default([]),
  proposals: z.array(proposalId),
  transactions: z.array(nodeTransaction),
  extension: bytes.nullish(),
});
export type NodeBlock = z.infer<typeof nodeBlock>;

/** A cell with its data, in a file of previous outputs. */
export const nodeCell = z.object({ output: nodeCellOutput, data: bytes });
export type NodeCell = z.infer<typeof nodeCell>;
