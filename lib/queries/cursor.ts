import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Position } from "#lib/store/rows.ts";
import type { WalkState } from "./walk-state.ts";

/** Encodes the places of a list for cursors. */
export interface PlaceFormat<Place> {
  /** The bytes of a cursor before its tag. The first one says which format the others have. */
  write(place: Place): Buffer;
  /** Reads the bytes that some format wrote; null if that was another format. */
  read(body: Buffer): Place | null;
}

export interface CursorCodec {
  /** `walk`: what the cursor is bound to. */
  encode<Place>(format: PlaceFormat<Place>, place: Place, walk: string): string;
  /** Returns null for anything but a result of `encode` for this walk. */
  decode<Place>(format: PlaceFormat<Place>, cursor: string, walk: string): Place | null;
}

const OUTPUT_FORMAT = 2;
const JSON_FORMAT = 5;
const STATE_FORMAT = 4;

const OUTPUT_BYTES = 38;

/**
 * Places of outputs. Positions have whole hashes when they are written, and only the ends of hashes after they are read.
 *
 * Bytes of the body: 1 format, 6 height, 3 transaction index, 4 output index, 1 unused, 1 address index, the last 8 of the
 * block's hash. Then the tip of the page: 6 height, the last 8 of its hash. Proof of work can make the first bytes of a hash
 * zeros. The unused byte is 0, and has room for an ordinal of several assets in one output.
 */
export const outputPlaces: PlaceFormat<Position> = {
  write({ height, transactionIndex, outputIndex, addressIndex = 0, blockHash, readAt }) {
    const body = Buffer.alloc(OUTPUT_BYTES);
    body.writeUInt8(OUTPUT_FORMAT, 0);
    body.writeUIntBE(height, 1, 6);
    body.writeUIntBE(transactionIndex, 7, 3);
    body.writeUInt32BE(outputIndex, 10);
    body.writeUInt8(addressIndex, 15);
    body.write(blockHash.slice(-16), 16, "hex");
    body.writeUIntBE(readAt.height, 24, 6);
    body.write(readAt.hash.slice(-16), 30, "hex");
    return body;
  },

  read(body) {
    if (body[0] !== OUTPUT_FORMAT || body.length !== OUTPUT_BYTES) return null;
    return {
      height: body.readUIntBE(1, 6),
      transactionIndex: body.readUIntBE(7, 3),
      outputIndex: body.readUInt32BE(10),
      addressIndex: body.readUInt8(15) || undefined,
      blockHash: body.toString("hex", 16, 24),
      readAt: { height: body.readUIntBE(24, 6), hash: body.toString("hex", 30, 38) },
    };
  },
};

/** Bytes: 1 format, 2 length of the JSON, then the JSON. The length keeps one signed part from passing for another. */
function withJson(format: number, value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.of(format, json.length >> 8, json.length & 0xff), json]);
}

/** The JSON and the bytes after it. Null for bytes of another format. */
function readJson(format: number, body: Buffer): { value: unknown; rest: Buffer } | null {
  if (body[0] !== format) return null;
  const end = 3 + body.readUInt16BE(1);
  return { value: JSON.parse(body.toString("utf8", 3, end)), rest: body.subarray(end) };
}

/**
 * Places of any other list, as short JSON values of its own. `ahead` of a place, which holds rows between pieces of one
 * response, is left out.
 */
export const jsonPlaces = <Place>(operation: string): PlaceFormat<Place> => ({
  write(place) {
    const stored = typeof place === "object" ? { ...place, ahead: undefined } : place;
    return withJson(JSON_FORMAT, [operation, stored]);
  },
  read(body) {
    const json = readJson(JSON_FORMAT, body);
    if (!json) return null;
    const [kind, place] = json.value as [string, Place];
    return kind === operation ? place : null;
  },
});

/** Places of a walk over one state. Body: the state as JSON | body of the place. */
export const withState = <Place>(
  places: PlaceFormat<Place>,
): PlaceFormat<{ place: Place; state: WalkState }> => ({
  write({ place, state: { height, hash, gaps, after } }) {
    return Buffer.concat([withJson(STATE_FORMAT, [height, hash, gaps, after]), places.write(place)]);
  },
  read(body) {
    const json = readJson(STATE_FORMAT, body);
    const place = json && places.read(json.rest);
    if (!place) return null;
    const [height, hash, gaps, after] = json.value as [number, string, string, number];
    return { place, state: { height, hash, gaps, after } };
  },
});

const TAG_BYTES = 12;
/** A cursor this short fits in any URL. */
const MAX_BODY_BYTES = 700;
/** Latest cursors signed here, which need no check when clients continue with them. */
const MAX_SIGNED = 1_000;

/** Cursors are signed with the database's key, so that clients cannot forge or alter them. */
export function createCursorCodec(key: Uint8Array): CursorCodec {
  // Preparing the key for each tag would take several times as long as the tag.
  const secret = createSecretKey(key);
  const signed = new LRUCache<string, string>({ max: MAX_SIGNED });
  const tagOf = (body: Buffer, walk: string): Buffer =>
    createHmac("sha256", secret).update(body).update(walk).digest().subarray(0, TAG_BYTES);

  return {
    encode(format, place, walk) {
      const body = format.write(place);
      if (body.length > MAX_BODY_BYTES) throw new RangeError(`A cursor would hold ${body.length} bytes`);
      const cursor = Buffer.concat([body, tagOf(body, walk)]).toString("base64url");
      signed.set(cursor, walk);
      return cursor;
    },

    decode(format, cursor, walk) {
      const bytes = Buffer.from(cursor, "base64url");
      const body = bytes.subarray(0, -TAG_BYTES);
      const genuine =
        signed.get(cursor) === walk ||
        (body.length > 0 &&
          // One value has several spellings in base64url; only the canonical one is valid.
          bytes.toString("base64url") === cursor &&
          timingSafeEqual(bytes.subarray(-TAG_BYTES), tagOf(body, walk)));
      return genuine ? format.read(body) : null;
    },
  };
}
