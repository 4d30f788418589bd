import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { Position } from "#lib/store/store.ts";

/** What a cursor is bound to: it continues this walk only. */
export interface Walk {
  addressKey: string;
  token?: string | undefined;
  order: "asc" | "desc";
}

export interface CursorCodec {
  encode(position: Position, walk: Walk): string;
  /** Null for anything but a result of `encode` for this walk. */
  decode(cursor: string, walk: Walk): Position | null;
}

const VERSION = 1;
// version 1 | height 6 | transaction index 3 | output index 4 | first 8 bytes of the block's hash | tag 12
const BODY_BYTES = 22;
const TAG_BYTES = 12;

/** Cursors are signed with the database's key, so that clients cannot forge or alter them. */
export function createCursorCodec(key: Uint8Array): CursorCodec {
  // Made of bytes each time, the key would take several times as long as the tag.
  const secret = createSecretKey(key);
  const tagOf = (body: Buffer, walk: Walk): Buffer =>
    createHmac("sha256", secret)
      .update(body)
      .update(`${walk.addressKey}|${walk.token ?? ""}|${walk.order}`)
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    encode(position, walk) {
      const body = Buffer.alloc(BODY_BYTES);
      body.writeUInt8(VERSION, 0);
      body.writeUIntBE(position.height, 1, 6);
      body.writeUIntBE(position.transactionIndex, 7, 3);
      body.writeUInt32BE(position.outputIndex, 10);
      body.write(position.blockHash.slice(2, 18), 14, "hex");
      return Buffer.concat([body, tagOf(body, walk)]).toString("base64url");
    },

    decode(cursor, walk) {
      const bytes = Buffer.from(cursor, "base64url");
      const body = bytes.subarray(0, BODY_BYTES);
      const genuine =
        bytes.length === BODY_BYTES + TAG_BYTES &&
        // One value has several spellings in base64url; only the canonical one is valid.
        bytes.toString("base64url") === cursor &&
        timingSafeEqual(bytes.subarray(BODY_BYTES), tagOf(body, walk));
      if (!genuine || body.readUInt8(0) !== VERSION) return null;
      return {
        height: body.readUIntBE(1, 6),
        transactionIndex: body.readUIntBE(7, 3),
        outputIndex: body.readUInt32BE(10),
        blockHash: `0x${body.toString("hex", 14, 22)}`,
      };
    },
  };
}
