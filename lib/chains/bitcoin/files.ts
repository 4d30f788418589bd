import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { firstNetwork, openFile, readValues } from "#lib/contract/block-file.ts";
import type { BlockFiles } from "#lib/contract/chain.ts";
import { InvalidChainDataError, type Output } from "#lib/contract/ledger.ts";
import { outputOf } from "./block.ts";
import { type FoundBlock, inOrder, namesIn } from "./file-order.ts";
import { type Currency, HEADER_BYTES, networkNamed } from "./networks.ts";

/** A block in hex, perhaps after a number, which should be its height. */
const BLOCK = new RegExp(`^(?:(-?\\d{1,30}) +)?((?:[0-9a-f]{2}){${HEADER_BYTES},})$`, "i");
const HEIGHT = /^\d{1,9}$/;
/** A JSON string, or a node's whole response with one. */
const inJson = z.union([z.string(), z.object({ result: z.string() }).transform(({ result }) => result)]);
/** The network's magic bytes and the length of a block. */
const START_BYTES = 8;
const MASK_BYTES = 8;
/** `MAX_SIZE` of `serialize.h`. */
const MAX_BLOCK_BYTES = 32 * 1024 * 1024;
const NODE_FILE = /(?:^|\/)blk\d+\.dat$/;
const WITHOUT_MASK = ": if its node has a file xor.dat, that must be in the same folder";
const OUT_POINT = /^(?:0x)?([0-9a-f]{64}):(0|[1-9]\d{0,9})$/i;

const previousOutputs = z.record(
  z.string().regex(OUT_POINT, "is not a transaction hash, a colon and an index"),
  z.strictObject({
    amount: z.string().regex(/^\d{1,16}$/, "is not digits"),
    script: z.string().regex(/^(?:[0-9a-f]{2})*$/i, "is not hex"),
  }),
);

export const blockFilesOf = (currency: Currency): BlockFiles => ({
  description:
    "blocks as a node's getblock returns them at verbosity 0, in hex or as bytes, or a node's blk*.dat; before hex, a line may have the block's height and a space, needed only for the first of the blocks that do not state their height",
  networkOf: (file) => firstNetwork(blocksIn([file], currency)),
  read: (files, known) => inOrder(blocksIn(files, currency), currency, known),
  previousOutputs: {
    option: "outputs",
    help: `previous outputs: { "<transaction hash>:<index>": { "amount": "<digits>", "script": "<hex>" } }`,
    read(json, network, where) {
      const read = previousOutputs.safeParse(json);
      if (!read.success) {
        const { path, message } = read.error.issues[0]!;
        throw new InvalidChainDataError(
          `${where}: ${path.map((part) => JSON.stringify(part)).join(" ")} ${message}`,
        );
      }
      return new Map(
        Object.entries(read.data).map(([outPoint, { amount, script }]): [string, Output] => {
          const [, hash, index] = OUT_POINT.exec(outPoint)!;
          const raw = { amount: BigInt(amount), script: Buffer.from(script, "hex") };
          return [`0x${hash!.toLowerCase()}:${index}`, outputOf(raw, networkNamed(currency, network))];
        }),
      );
    },
  },
});

async function* blocksIn(files: readonly string[], currency: Currency): AsyncGenerator<FoundBlock> {
  for (const file of files) {
    for await (const found of (await isText(file)) ? blocksInText(file) : blocksInBytes(file, currency)) {
      const { name } = namesIn(found.bytes);
      const first = currency.networks.find(({ genesis }) => genesis === name);
      yield first ? { ...found, network: first.name } : found;
    }
  }
}

/** True if the file begins with characters, perhaps after a byte order mark, as no header of a block does. */
async function isText(file: string): Promise<boolean> {
  await using handle = await openFile(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES));
  return /^(?:\xef\xbb\xbf)?[\t\n\r -~]*$/.test(buffer.toString("latin1", 0, bytesRead));
}

async function* blocksInText(file: string): AsyncGenerator<FoundBlock> {
  for await (const { value, where } of readValues(file, (line) => BLOCK.test(line))) {
    const { data = "" } = inJson.safeParse(value);
    const [, height, hex] = BLOCK.exec(data) ?? [];
    if (hex === undefined) throw new InvalidChainDataError(`${where}: Expected a block in hex`);
    if (height !== undefined && !HEIGHT.test(height)) {
      throw new InvalidChainDataError(`${where}: the height ${height} is not a number of at most 9 digits`);
    }
    const bytes = Buffer.from(hex, "hex");
    yield { bytes, height: height === undefined ? null : Number(height), network: null, where };
  }
}

/**
 * Reads a node's file of blocks (`node/blockstorage.cpp` of Bitcoin Core). Each follows four bytes of its network and its
 * length, and zeros at the end reserve room for more. Since version 28, the file is combined with the bytes of `xor.dat`
 * beside it. A file that does not begin like this is one block.
 */
async function* blocksInBytes(file: string, currency: Currency): AsyncGenerator<FoundBlock> {
  await using handle = await openFile(file);
  const { size } = await handle.stat();
  const mask = await readMask(join(dirname(file), "xor.dat"));
  const bytesAt = async (position: number, length: number, isMasked = true): Promise<Buffer> => {
    const target = Buffer.alloc(Math.min(length, size - position));
    const { buffer, bytesRead } = await handle.read(target, { position });
    if (isMasked && mask)
      for (let i = 0; i < bytesRead; i++) buffer[i]! ^= mask[(position + i) % mask.length]!;
    return buffer.subarray(0, bytesRead);
  };
  for (let at = 0; at < size; ) {
    const where = `${file}, byte ${at}`;
    const start = await bytesAt(at, START_BYTES);
    const magic = start.toString("hex", 0, 4);
    const network = currency.networks.find((each) => each.magic === magic);
    if (!network) {
      const rest = await bytesAt(at, MAX_BLOCK_BYTES + 1, false);
      const isNodeFile = at > 0 || NODE_FILE.test(file);
      if (rest.length > MAX_BLOCK_BYTES || (isNodeFile && rest.some((byte) => byte !== 0))) {
        throw new InvalidChainDataError(
          `${where}: no block of ${currency.name} begins with ${magic}${at > 0 || mask ? "" : WITHOUT_MASK}`,
        );
      }
      if (at > 0) return;
      yield { bytes: rest, height: null, network: null, where: file };
      return;
    }
    const length = start.length === START_BYTES ? start.readUInt32LE(4) : MAX_BLOCK_BYTES;
    at += START_BYTES;
    if (length > MAX_BLOCK_BYTES || at + length > size) {
      throw new InvalidChainDataError(
        `${where}: a block of ${length} bytes, where the file has ${size - at} more`,
      );
    }
    yield { bytes: await bytesAt(at, length), height: null, network: network.name, where };
    at += length;
  }
}

/** Reads the key that a node combines its files with; null if the file does not exist. */
async function readMask(file: string): Promise<Buffer | null> {
  if (!existsSync(file)) return null;
  await using handle = await openFile(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MASK_BYTES + 1));
  if (bytesRead !== MASK_BYTES) throw new InvalidChainDataError(`${file}: is not ${MASK_BYTES} bytes long`);
  return buffer.subarray(0, MASK_BYTES);
}
