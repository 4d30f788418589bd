import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Position } from "#lib/store/rows.ts";
import type { WalkState } from "./walk-state.ts";

/** How a list writes its places into cursors. */
export interface PlaceFormat<Place> {
  /** The bytes of a cursor before its tag: the first one is the version, which says how to read the others. */
  write(place: Place): Buffer;
  /** Null for a version that the list never had. Only bytes that `write` made come here. */
  read(body: Buffer): Place | null;
}

export interface CursorCodec {
  /** `walk`: what the cursor is bound to. */
  encode<Place>(format: PlaceFormat<Place>, place: Place, walk: string): string;
  /** Null for anything but a result of `encode` for this walk. */
  decode<Place>(format: PlaceFormat<Place>, cursor: string, walk: string): Place | null;
}

const VERSION = 2;
/**
 * Bytes of the body, by version:
 *
 * 2: version 1 | height 6 | transaction index 3 | output index 4 | free 1 | address index 1 | last 8 of the block's hash
 *    | height 6 and last 8 of the hash of the tip that the page was read at. The last bytes, because proof of work can make the
 *    first ones zeros. The free byte is 0: it has room for an ordinal of several assets in one output.
 * 1: version 1 | height 6 | transaction index 3 | output index 4 | first 8 of the block's hash
 */
const BODY_BYTES: Record<number, number> = { 1: 22, [VERSION]: 38 };

/** Places of outputs. A position's hashes must be whole to be written: those that are read are not. */
export const outputPlaces: PlaceFormat<Position> = {
  write({ height, transactionIndex, outputIndex, addressIndex = 0, blockHash, readAt }) {
    const body = Buffer.alloc(BODY_BYTES[VERSION]!);
    body.writeUInt8(VERSION, 0);
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
    const version = body[0]!;
    if (body.length !== BODY_BYTES[version]) return null;
    const height = body.readUIntBE(1, 6);
    const place = { height, transactionIndex: body.readUIntBE(7, 3), outputIndex: body.readUInt32BE(10) };
    if (version === 1) {
      const blockHash = `0x${body.toString("hex", 14, 22)}`;
      return { ...place, blockHash, readAt: { height, hash: blockHash } };
    }
    const readAt = { height: body.readUIntBE(24, 6), hash: body.toString("hex", 30, 38) };
    const addressIndex = body.readUInt8(15) || undefined;
    return { ...place, addressIndex, blockHash: body.toString("hex", 16, 24), readAt };
  },
};

/** No body is shorter or longer. A cursor fits in any URL. */
const MIN_BODY_BYTES = 3;
const MAX_BODY_BYTES = 700;
const JSON_VERSION = 3;

const withoutAhead = (name: string, value: unknown) => (name === "ahead" ? undefined : value);

/**
 * Places of any other list, as short JSON values of its own. A list that changes their meaning takes the next revision.
 * What a place has `ahead`, while one answer is written, is not part of it.
 * Body: version 1 | length of the JSON 2 | JSON. With its length, no part of what is signed passes for another.
 */
export const jsonPlaces = <Place>(operation: string, revision = 1): PlaceFormat<Place> => ({
  write(place) {
    const json = Buffer.from(JSON.stringify([operation, revision, place], withoutAhead));
    return Buffer.concat([Buffer.of(JSON_VERSION, json.length >> 8, json.length & 0xff), json]);
  },
  read(body) {
    if (body[0] !== JSON_VERSION || body.length !== 3 + body.readUInt16BE(1)) return null;
    const [kind, number, place] = JSON.parse(body.toString("utf8", 3)) as [string, number, Place];
    return kind === operation && number === revision ? place : null;
  },
});

const STATE_VERSION = 4;

/** Places of a walk that is of one state. Body: version 1 | length of the state's JSON 2 | JSON | body of the place. */
export const withState = <Place>(
  places: PlaceFormat<Place>,
): PlaceFormat<{ place: Place; state: WalkState }> => ({
  write({ place, state: { height, hash, gaps, after } }) {
    const json = Buffer.from(JSON.stringify([height, hash, gaps, after]));
    const head = Buffer.of(STATE_VERSION, json.length >> 8, json.length & 0xff);
    return Buffer.concat([head, json, places.write(place)]);
  },
  read(body) {
    if (body[0] !== STATE_VERSION) return null;
    const end = 3 + body.readUInt16BE(1);
    const place = places.read(body.subarray(end));
    const [height, hash, gaps, after] = JSON.parse(body.toString("utf8", 3, end)) as [
      number,
      string,
      string,
      number,
    ];
    return place && { place, state: { height, hash, gaps, after } };
  },
});

const TAG_BYTES = 12;

/** Cursors that need no check, because they were signed here: their clients go on with them. */
const MAX_SIGNED = 1_000;

/** Cursors are signed with the database's key, so that clients cannot forge or alter them. */
export function createCursorCodec(key: Uint8Array): CursorCodec {
  // Made of bytes each time, the key would take several times as long as the tag.
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
      const bodyBytes = bytes.length - TAG_BYTES;
      const genuine =
        signed.get(cursor) === walk ||
        (bodyBytes >= MIN_BODY_BYTES &&
          bodyBytes <= MAX_BODY_BYTES &&
          // One value has several spellings in base64url; only the canonical one is valid.
          bytes.toString("base64url") === cursor &&
          timingSafeEqual(bytes.subarray(bodyBytes), tagOf(bytes.subarray(0, bodyBytes), walk)));
      return genuine ? format.read(bytes.subarray(0, bodyBytes)) : null;
    },
  };
}
