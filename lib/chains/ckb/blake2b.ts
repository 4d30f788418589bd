/**
 * BLAKE2b-256 (RFC 7693) as a WebAssembly module that is assembled here, instruction by instruction. JavaScript has
 * no fast 64-bit integers: with a JavaScript version, hashing would take most of the time of a sync.
 */

const DIGEST_LENGTH = 32;
const BLOCK_LENGTH = 128;
/** Offsets in the module's memory: the state, and the part of the message that is being hashed. */
const STATE = 0;
const MESSAGE = 128;
const MESSAGE_LENGTH = 512 * BLOCK_LENGTH;
const PAGES = 2;

/** RFC 7693, section 2.6. */
const IV = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** RFC 7693, section 2.7: the word of the message that each half of a mixing step takes. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const ROUNDS = 12;

/** RFC 7693, section 3.2: the columns of the working vector, then its diagonals. */
const STEPS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function unsigned(value: number): number[] {
  const low = value & 127;
  return value < 128 ? [low] : [low | 128, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  const low = Number(value & 127n);
  const rest = value >> 7n;
  const done = rest === 0n ? low < 64 : rest === -1n && low >= 64;
  return done ? [low] : [low | 128, ...signed(rest)];
}

const sized = (bytes: number[]): number[] => [...unsigned(bytes.length), ...bytes];
const vector = (...items: number[][]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, bytes: number[]): number[] => [id, ...sized(bytes)];
const text = (value: string): number[] => sized([...new TextEncoder().encode(value)]);

// Instructions: WebAssembly core specification, section 5.4.
const I32 = 0x7f;
const I64 = 0x7e;
const get = (local: number) => [0x20, ...unsigned(local)];
const set = (local: number) => [0x21, ...unsigned(local)];
const constant = (value: bigint) => [0x42, ...signed(BigInt.asIntN(64, value))];
const loadAt = (pointer: number[], offset: number) => [...pointer, 0x29, 3, ...unsigned(offset)];
const storeAt = (pointer: number[], offset: number, value: number[]) => [
  ...pointer,
  ...value,
  0x37,
  3,
  ...unsigned(offset),
];
const ADD = 0x7c;
const XOR = 0x85;
const ROTATE_RIGHT = 0x8a;
const EXTEND_SIGNED = 0xac;
const EXTEND_UNSIGNED = 0xad;
const ZERO = [0x41, 0];

/** `compress(block, counter, last)` hashes one block; `last` is -1 for the last block, otherwise 0. */
function compressBody(): number[] {
  const [block, counter, last] = [0, 1, 2];
  const v = (index: number) => 3 + index;
  const code: number[] = [];
  for (let i = 0; i < 8; i++) {
    code.push(...loadAt(ZERO, STATE + 8 * i), ...set(v(i)));
    const mixed =
      i === 4 ? [...get(counter), EXTEND_UNSIGNED, XOR] : i === 6 ? [...get(last), EXTEND_SIGNED, XOR] : [];
    code.push(...constant(IV[i]!), ...mixed, ...set(v(8 + i)));
  }
  for (let round = 0; round < ROUNDS; round++) {
    const words = SIGMA[round % SIGMA.length]!;
    for (const [i, [a, b, c, d]] of STEPS.entries()) {
      for (const [word, first, second] of [
        [words[2 * i]!, 32n, 24n],
        [words[2 * i + 1]!, 16n, 63n],
      ] as const) {
        code.push(...get(v(a)), ...get(v(b)), ADD, ...loadAt(get(block), 8 * word), ADD, ...set(v(a)));
        code.push(...get(v(d)), ...get(v(a)), XOR, ...constant(first), ROTATE_RIGHT, ...set(v(d)));
        code.push(...get(v(c)), ...get(v(d)), ADD, ...set(v(c)));
        code.push(...get(v(b)), ...get(v(c)), XOR, ...constant(second), ROTATE_RIGHT, ...set(v(b)));
      }
    }
  }
  for (let i = 0; i < 8; i++) {
    const value = [...loadAt(ZERO, STATE + 8 * i), ...get(v(i)), XOR, ...get(v(8 + i)), XOR];
    code.push(...storeAt(ZERO, STATE + 8 * i, value));
  }
  const end = 0x0b;
  return [...vector([...unsigned(16), I64]), ...code, end];
}

function assemble(): Uint8Array<ArrayBuffer> {
  const [functionExport, memoryExport] = [0, 2];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([0x60, ...vector([I32], [I32], [I32]), ...vector()])),
    ...section(3, vector([0])),
    ...section(5, vector([0, PAGES])),
    ...section(7, vector([...text("memory"), memoryExport, 0], [...text("compress"), functionExport, 0])),
    ...section(10, vector(sized(compressBody()))),
  ]);
}

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assemble()));
const compress = exports.compress as (block: number, counter: number, last: number) => void;
const memory = new Uint8Array((exports.memory as WebAssembly.Memory).buffer);

/** The state before the first block, as bytes: RFC 7693, section 2.5, and BLAKE2's personalisation. */
function initialState(personalisation: string): Uint8Array {
  const state = new DataView(new ArrayBuffer(64));
  const personal = new DataView(new ArrayBuffer(16));
  for (const [i, byte] of new TextEncoder().encode(personalisation).entries()) personal.setUint8(i, byte);
  for (const [i, word] of IV.entries()) {
    const parameters =
      i === 0 ? 0x01010000n | BigInt(DIGEST_LENGTH) : i >= 6 ? personal.getBigUint64(8 * (i - 6), true) : 0n;
    state.setBigUint64(8 * i, word ^ parameters, true);
  }
  return new Uint8Array(state.buffer);
}

/** Returns a function that hashes messages below 4 GB. `personalisation` has at most 16 ASCII characters. */
export function blake2b256(personalisation: string): (message: Uint8Array) => Buffer {
  const initial = initialState(personalisation);
  return (message) => {
    memory.set(initial, STATE);
    const { length } = message;
    let start = 0;
    do {
      const part = message.subarray(start, start + MESSAGE_LENGTH);
      memory.set(part, MESSAGE);
      const isLast = start + part.length === length;
      let at = 0;
      for (; at + BLOCK_LENGTH < part.length; at += BLOCK_LENGTH) {
        compress(MESSAGE + at, start + at + BLOCK_LENGTH, 0);
      }
      // The last block of a message is padded with zeros.
      memory.fill(0, MESSAGE + part.length, MESSAGE + at + BLOCK_LENGTH);
      compress(MESSAGE + at, start + part.length, isLast ? -1 : 0);
      start += part.length;
    } while (start < length);
    return Buffer.from(memory.subarray(STATE, STATE + DIGEST_LENGTH));
  };
}
