import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { Position } from "#lib/store/store.ts";

export interface CursorCodec {
  /** `walk`: what the cursor is bound to. The position's hashes must be whole: those of a cursor are not. */
  encode(position: Position, walk: string): string;
  /** Null for anything but a result of `encode` for this walk. */
  decode(cursor: string, walk: string): Position | null;
}

const VERSION = 2;
/**
 * Bytes of the body, by version, before a tag of 12:
 *
 * 2: version 1 | height 6 | transaction index 3 | output index 4 | address index 2 | last 8 of the block's hash
 *    | height 6 and last 8 of the hash of the tip that the page was read at. The last bytes, because on Bitcoin the first
 *    ones are zeros.
 * 1: version 1 | height 6 | transaction index 3 | output index 4 | first 8 of the block's hash
 */
const BODY_BYTES: Record<number, number> = { 1: 22, [VERSION]: 38 };
const TAG_BYTES = 12;

/** Cursors are signed with the database's key, so that clients cannot forge or alter them. */
export function createCursorCodec(key: Uint8Array): CursorCodec {
  // Made of bytes each time, the key would take several times as long as the tag.
  const secret = createSecretKey(key);
  const tagOf = (body: Buffer, walk: string): Buffer =>
    createHmac("sha256", secret).update(body).update(walk).digest().subarray(0, TAG_BYTES);

  return {
    encode({ height, transactionIndex, outputIndex, addressIndex = 0, blockHash, readAt }, walk) {
      const body = Buffer.alloc(BODY_BYTES[VERSION]!);
      body.writeUInt8(VERSION, 0);
      body.writeUIntBE(height, 1, 6);
      body.writeUIntBE(transactionIndex, 7, 3);
      body.writeUInt32BE(outputIndex, 10);
      body.writeUInt16BE(addressIndex, 14);
      body.write(blockHash.slice(-16), 16, "hex");
      body.writeUIntBE(readAt.height, 24, 6);
      body.write(readAt.hash.slice(-16), 30, "hex");
      return Buffer.concat([body, tagOf(body, walk)]).toString("base64url");
    },

    decode(cursor, walk) {
      const bytes = Buffer.from(cursor, "base64url");
      const version = bytes[0] ?? 0;
      const body = bytes.subarray(0, BODY_BYTES[version]);
      const genuine =
        bytes.length === body.length + TAG_BYTES &&
        // One value has several spellings in base64url; only the canonical one is valid.
        bytes.toString("base64url") === cursor &&
        timingSafeEqual(bytes.subarray(body.length), tagOf(body, walk));
      if (!genuine) return null;
      const height = body.readUIntBE(1, 6);
      const place = { height, transactionIndex: body.readUIntBE(7, 3), outputIndex: body.readUInt32BE(10) };
      if (version === 1) {
        const blockHash = `0x${body.toString("hex", 14, 22)}`;
        return { ...place, blockHash, readAt: { height, hash: blockHash } };
      }
      const readAt = { height: body.readUIntBE(24, 6), hash: body.toString("hex", 30, 38) };
      const addressIndex = body.readUInt16BE(14) || undefined;
      return { ...place, addressIndex, blockHash: body.toString("hex", 16, 24), readAt };
    },
  };
}
