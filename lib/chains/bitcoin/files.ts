/** Blocks and outputs in files. */
import { z } from "zod";
import type { BlockFiles } from "#lib/contract/chain.ts";
import { InvalidChainDataError, type Output } from "#lib/contract/ledger.ts";
import { outputOf, parseBlock } from "./block.ts";
import { ByteReader } from "./bytes.ts";
import { sha256d, toName } from "./hashes.ts";
import { type Currency, HEADER_BYTES, networkNamed } from "./networks.ts";
import { readTransaction } from "./transaction.ts";

const BLOCK = /^(?:(\d{1,9}) +)?((?:[0-9a-f]{2})+)$/i;
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
    "blocks as a node's getblock returns them at verbosity 0, in hex; where a block does not say its height, with that and a space before it",
  readBlock(json, where) {
    const text = z.union([z.string(), z.object({ result: z.string() }).transform(({ result }) => result)]);
    const { data = "" } = text.safeParse(json);
    const [, height, hex] = BLOCK.exec(data) ?? [];
    if (hex === undefined) throw new InvalidChainDataError(`${where}: Expected a block in hex`);
    const bytes = Buffer.from(hex, "hex");
    const name = toName(sha256d(bytes.subarray(0, HEADER_BYTES)));
    const first = currency.networks.find(({ genesis }) => genesis === name);
    return {
      network: first?.name ?? null,
      verify: (network) =>
        parseBlock(bytes, {
          currency,
          network: networkNamed(currency, network),
          height: first ? 0 : height === undefined ? heightIn(bytes, currency, where) : Number(height),
          where,
        }),
    };
  },
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

/** The height with which the reward's script begins in blocks of version 2 and later (BIP 34). */
function heightIn(bytes: Buffer, currency: Currency, where: string): number {
  const reader = new ByteReader(bytes, where);
  const version = reader.uint32();
  reader.take(HEADER_BYTES - 4);
  reader.count(1);
  const script = new ByteReader(readTransaction(reader, currency).firstScript, where);
  const length = version < 2 || script.left === 0 ? 0 : script.uint8();
  if (length > 0x50 && length <= 0x60) return length - 0x50;
  if (length < 1 || length > 4) {
    throw reader.fault("the block does not say its height: write it before the hex, with a space between");
  }
  return script.take(length).readUIntLE(0, length);
}
