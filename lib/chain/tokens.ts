/**
 * What a cell holds, and what it says about an asset's name. A cell's data is anyone's to write: whatever
 * does not have its script's layout is passed over, and nothing here throws because of it.
 *
 * Sources of the layouts: RFC 25 (sUDT) and RFC 52 (xUDT); the Spore protocol's `spore.mol`; the Unique cell
 * and Omiga inscription contracts.
 */
import { addressOf } from "#lib/chain/address.ts";
import { scriptHash } from "#lib/chain/hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "#lib/chain/hex.ts";
import { knownScript, type Network } from "#lib/chain/known-scripts.ts";
import { MoleculeError, readBytes, readOptionalBytes, readTable } from "#lib/chain/molecule.ts";
import type { NodeCellOutput, NodeScript } from "#lib/chain/schema.ts";
import type { Address, MetadataClaim, Output, TokenReference } from "#lib/contract/ledger.ts";

const idLength = 32;
const amountLength = 16;

const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const strictText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The same locks come again and again, within a block and from one to the next. */
const addressCache = new Map<string, Address>();
const addressCacheSize = 8192;
/** A lock may be as long as a transaction; only short ones are worth the memory. */
const cachedArgsLength = 256;

function cachedAddress(lock: NodeScript, network: Network): Address {
  if (lock.args.length > cachedArgsLength) return addressOf(lock, network);
  const key = `${network}/${lock.hash_type}/${lock.code_hash}/${lock.args}`;
  const known = addressCache.get(key);
  if (known !== undefined) return known;
  const address = Object.freeze(addressOf(lock, network));
  if (addressCache.size >= addressCacheSize) addressCache.clear();
  addressCache.set(key, address);
  return address;
}

/** PostgreSQL cannot store U+0000 in a text. */
function withoutNul(value: string): string {
  return value.replaceAll("\0", "");
}

/** The first 16 bytes as a little-endian integer; 0 where there are fewer. */
function udtAmount(data: string): bigint {
  if (byteLength(data) < amountLength) return 0n;
  let digits = "0x";
  for (let place = 2 * amountLength; place > 0; place -= 2) digits += data.slice(place, place + 2);
  return BigInt(digits);
}

/**
 * The fields of cell data that is a molecule table; null for data that is not, or has too few. A later
 * version of a table may have more fields after the ones known here.
 */
function tableFields(data: string, minimum: number): Uint8Array[] | null {
  return readOrNull(() => {
    const fields = readTable(hexToBytes(data));
    return fields.length < minimum ? null : fields;
  });
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MoleculeError) return null;
    throw error;
  }
}

/** Table of content type `Bytes`, content `Bytes` and cluster id `BytesOpt`. */
function decodeSpore(data: string): { contentType: string; clusterId: string } | null {
  const fields = tableFields(data, 3);
  if (fields === null) return null;
  return readOrNull(() => {
    const contentType = readBytes(fields[0]!);
    readBytes(fields[1]!);
    const clusterId = readOptionalBytes(fields[2]!);
    return {
      contentType: mediaType(contentType),
      clusterId: clusterId?.length === idLength ? bytesToHex(clusterId) : "",
    };
  });
}

/** A content type is either proper text or not worth showing. */
function mediaType(bytes: Uint8Array): string {
  try {
    return withoutNul(strictText.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return "";
    throw error;
  }
}

function hasId(script: NodeScript): boolean {
  return byteLength(script.args) === idLength;
}

/** The token of a cell with its amount; null for a cell that holds none. */
function tokenOf(output: NodeCellOutput, data: string, network: Network): [TokenReference, bigint] | null {
  if (output.type === null) return null;
  const known = knownScript(output.type, network);
  if (known?.role === "udt") {
    const id = scriptHash(output.type);
    return [{ id, standard: known.standard, fungible: true, parentId: "", contentType: "" }, udtAmount(data)];
  }
  if (known?.role === "nft" && hasId(output.type)) {
    const spore = decodeSpore(data);
    const token = {
      id: output.type.args,
      standard: known.standard,
      fungible: false,
      parentId: spore?.clusterId ?? "",
      contentType: spore?.contentType ?? "",
    };
    return [token, 1n];
  }
  return null;
}

/**
 * What a cell holds. `data` is the cell's, as `0x` hex; amounts are in the smallest unit, the capacity in
 * shannons. A cell with an unknown type script holds its capacity alone.
 */
export function decodeOutput(output: NodeCellOutput, data: string, network: Network): Output {
  const address = cachedAddress(output.lock, network);
  const capacity = BigInt(output.capacity);
  const held = tokenOf(output, data, network);
  if (held === null) return { address, token: null, amount: capacity, capacity };
  const [token, amount] = held;
  return { address, token, amount, capacity };
}

/** Reads single bytes and sized pieces one after the other; null once the bytes run out. */
class Pieces {
  private readonly bytes: Uint8Array;
  private place = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  take(length: number): Uint8Array | null {
    if (this.place + length > this.bytes.length) return null;
    this.place += length;
    return this.bytes.subarray(this.place - length, this.place);
  }

  byte(): number | null {
    return this.take(1)?.[0] ?? null;
  }

  /** UTF-8 text after a byte with its length. */
  sizedText(): string | null {
    const length = this.byte();
    const bytes = length === null ? null : this.take(length);
    return bytes === null ? null : claimText(bytes);
  }
}

function claimText(bytes: Uint8Array): string {
  return withoutNul(text.decode(bytes));
}

type Statement = Omit<MetadataClaim, "outputIndex">;

/** Decimals, name and symbol: how the Unique cell and the Omiga info cell both begin. */
function readNaming(pieces: Pieces): Omit<Statement, "assetId"> | null {
  const decimals = pieces.byte();
  const name = pieces.sizedText();
  const symbol = pieces.sizedText();
  return decimals === null || name === null || symbol === null ? null : { name, symbol, decimals };
}

function uniqueStatement(data: string): Statement | null {
  const naming = readNaming(new Pieces(hexToBytes(data)));
  return naming === null ? null : { assetId: null, ...naming };
}

/** After the naming: the token's type hash, expected supply and mint limit (u128 each), mint status (u8). */
function omigaStatement(data: string): Statement | null {
  const pieces = new Pieces(hexToBytes(data));
  const naming = readNaming(pieces);
  const tokenHash = pieces.take(idLength);
  const rest = pieces.take(2 * amountLength + 1);
  return naming === null || tokenHash === null || rest === null
    ? null
    : { assetId: bytesToHex(tokenHash), ...naming };
}

/** Table of name `Bytes`, description `Bytes`, and since version 2 a mutant id `BytesOpt`. */
function clusterStatement(script: NodeScript, data: string): Statement | null {
  const fields = hasId(script) ? tableFields(data, 2) : null;
  if (fields === null) return null;
  return readOrNull(() => {
    const name = claimText(readBytes(fields[0]!));
    readBytes(fields[1]!);
    return { assetId: script.args, name, symbol: "", decimals: null };
  });
}

function statementOf(script: NodeScript, data: string, network: Network): Statement | null {
  switch (knownScript(script, network)?.role) {
    case "unique":
      return uniqueStatement(data);
    case "omiga-info":
      return omigaStatement(data);
    case "collection":
      return clusterStatement(script, data);
    default:
      return null;
  }
}

/** What a transaction's outputs say about the names of assets and collections, in the order of the outputs. */
export function claimsOf(
  outputs: readonly NodeCellOutput[],
  outputsData: readonly string[],
  network: Network,
): MetadataClaim[] {
  const claims: MetadataClaim[] = [];
  for (let outputIndex = 0; outputIndex < outputs.length; outputIndex++) {
    const script = outputs[outputIndex]!.type;
    const statement = script === null ? null : statementOf(script, outputsData[outputIndex] ?? "0x", network);
    if (statement !== null) claims.push({ outputIndex, ...statement });
  }
  return claims;
}
