/**
 * Decodes the contents of cells, and their claims about the names of assets. Data without the layout of their script are
 * skipped. Layouts: RFC 25 (sUDT), RFC 52 (xUDT), `spore.mol`, the contracts of the Unique cell and of Omiga.
 */
import { isUtf8 } from "node:buffer";
import {
  type Address,
  type Issuer,
  type MetadataClaim,
  type Output,
  PLAIN_OUTPUT,
  type TokenReference,
} from "#lib/contract/ledger.ts";
import { limitText, MAX_MEDIA_TYPE, MAX_NAME, MAX_SYMBOL } from "#lib/contract/texts.ts";
import { addressOf } from "./address.ts";
import { ckbHash, scriptHash } from "./hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "./hex.ts";
import { inscriptionCode, type KnownScript, knownScript, type Network } from "./known-scripts.ts";
import {
  expectLength,
  hashTypeByteOf,
  readBytes,
  readFields,
  readOptionalBytes,
  readOrNull,
  readScript,
  readTable,
} from "./molecule.ts";
import type { NodeScript } from "./schema.ts";

/** The byte of `data2`, the newest hash type of known scripts. */
const NEWEST_HASH_TYPE = 4;
const ID_LENGTH = 32;
const HASH_DIGITS = 66;
const AMOUNT_LENGTH = 16;
/** End of the flags after the owner's hash, whose highest byte says which script the hash belongs to (RFC 52). */
const FLAGS_END = ID_LENGTH + 4;
const NOT_BY_LOCK = 0x20;
const BY_OUTPUT_TYPE = 0x40;
const BY_INPUT_TYPE = 0x80;
const DAO_DATA_LENGTH = 8;
/** Start of programs for CKB's virtual machine. */
const ELF = Buffer.from("\x7fELF", "latin1");
/** The code hash of type scripts that give code an id of its own: the text `TYPE_ID` (RFC 22). */
export const TYPE_ID_CODE = "0x00000000000000000000000000000000000000000000000000545950455f4944";

const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

const SCRIPT_CACHE_SIZE = 8192;
/** Maximum length of a cached script, in bytes. A script can be as long as a transaction. */
const CACHED_SCRIPT_LENGTH = 200;

/** Caches the results for short scripts by their bytes, because the same scripts occur many times. */
function cached<T>(read: (script: Buffer, network: Network) => T): typeof read {
  const caches: Record<Network, Map<string, T>> = { mainnet: new Map(), testnet: new Map() };
  return (script, network) => {
    if (script.length > CACHED_SCRIPT_LENGTH) return read(script, network);
    const cache = caches[network];
    const key = script.toString("latin1");
    const found = cache.get(key);
    if (found !== undefined) return found;
    const made = read(script, network);
    if (cache.size >= SCRIPT_CACHE_SIZE) cache.clear();
    cache.set(key, made);
    return made;
  };
}

const addressOfLock = cached(
  (lock, network): Readonly<Address> => Object.freeze(addressOf(readScript(lock), network)),
);

interface TypeScript {
  script: NodeScript;
  known: KnownScript | null;
  /** The `Output.kind` of its cells, unless they are in the DAO. */
  kind: string;
  /** The token that all its cells hold; null if they hold none, or each a different one. */
  token: Readonly<TokenReference> | null;
}

const typeScriptOf = cached((type, network): TypeScript => {
  const script = readScript(type);
  const known = knownScript(script, network);
  const id = bytesToHex(ckbHash(type));
  if (known?.role !== "udt" && known?.role !== "compatible-udt") {
    const word = known?.standard ?? (script.code_hash === TYPE_ID_CODE ? "type-id" : "unknown-type");
    return { script, known, kind: `${word}@${id}`, token: null };
  }
  const { role, standard } = known;
  const token = { id, standard, fungible: true, parentId: "", contentType: "" };
  const issuer = role === "udt" ? { issuer: issuerOf(script, standard === "xUDT") } : {};
  return { script, known, kind: "", token: Object.freeze({ ...token, ...issuer }) };
});

/** The args begin with the hash of a lock, or of the script that xUDT's four bytes of flags after it name. */
function issuerOf({ args }: NodeScript, hasFlags: boolean): Issuer {
  const bytes = hexToBytes(args);
  const flags = hasFlags && bytes.length >= FLAGS_END ? bytes.readUInt8(FLAGS_END - 1) : 0;
  const as: Issuer["as"][number][] = [];
  if ((flags & NOT_BY_LOCK) === 0) as.push("spender");
  if ((flags & BY_OUTPUT_TYPE) !== 0) as.push("output");
  if ((flags & BY_INPUT_TYPE) !== 0) as.push("input");
  return { key: args.slice(0, HASH_DIGITS), as };
}

/** Drops U+0000, which PostgreSQL cannot store in a text. */
const claimText = (bytes: Uint8Array, most: number): string =>
  limitText(text.decode(bytes).replaceAll("\0", ""), most);

/** The first 16 bytes as a little-endian integer; 0 if there are fewer. */
function udtAmount(data: Buffer): bigint {
  if (data.length < AMOUNT_LENGTH) return 0n;
  return (data.readBigUInt64LE(8) << 64n) | data.readBigUInt64LE(0);
}

/** RFC 23: eight zero bytes in a deposit; once its owner asks to withdraw, the number of the block of the deposit. */
function daoKind(data: Buffer): string {
  if (data.length !== DAO_DATA_LENGTH) return "unknown-type";
  const depositedIn = data.readBigUInt64LE();
  return depositedIn === 0n ? "dao-deposit" : `dao-withdrawal@${depositedIn}`;
}

const isProgram = (data: Buffer): boolean => data.subarray(0, ELF.length).equals(ELF);

/** Reads a table in cell data; null without `minimum` fields. Later versions may add fields at the end. */
function readData<T>(data: Buffer, minimum: number, read: (fields: Buffer[]) => T): T | null {
  return readOrNull(() => {
    const fields = readTable(data);
    return fields.length < minimum ? null : read(fields);
  });
}

/** Reads a table of content type `Bytes`, content `Bytes` and cluster id `BytesOpt`. */
function readSpore(data: Buffer): { contentType: string; parentId: string } | null {
  return readData(data, 3, (fields) => {
    const contentType = readBytes(fields[0]!);
    readBytes(fields[1]!);
    const clusterId = readOptionalBytes(fields[2]!);
    return {
      contentType: isUtf8(contentType) ? claimText(contentType, MAX_MEDIA_TYPE) : "",
      parentId: clusterId?.length === ID_LENGTH ? bytesToHex(clusterId) : "",
    };
  });
}

const hasId = (script: NodeScript): boolean => byteLength(script.args) === ID_LENGTH;

function tokenOf({ script, known, token }: TypeScript, data: Buffer): [TokenReference, bigint] | null {
  if (token !== null) return [token, udtAmount(data)];
  if (known?.role !== "nft" || !hasId(script)) return null;
  const spore = readSpore(data) ?? { parentId: "", contentType: "" };
  return [{ id: script.args, standard: known.standard, fungible: false, ...spore }, 1n];
}

/**
 * Decodes a transaction's cells, and their claims about the names of assets and collections, in the order of the outputs.
 * Amounts are in the smallest unit, capacities in shannons. A cell with an unknown type script holds only its capacity.
 * Throws InvalidChainDataError if an output has the wrong form.
 * @param outputs each a table `CellOutput`
 * @param outputsData the cells' data, one for each output
 * @param hashTypes receives the bytes of hash types that are newer than this version of the service
 * @param plain the kind of a cell with neither a type script nor data
 */
export function readCells(
  outputs: readonly Buffer[],
  outputsData: readonly Buffer[],
  network: Network,
  hashTypes: Set<number> = new Set(),
  plain: string = PLAIN_OUTPUT,
): { outputs: Output[]; claims: MetadataClaim[] } {
  const claims: MetadataClaim[] = [];
  const noteHashType = (script: Buffer) => {
    const byte = hashTypeByteOf(script);
    if (byte > NEWEST_HASH_TYPE) hashTypes.add(byte);
  };
  return {
    outputs: outputs.map((bytes, outputIndex): Output => {
      const [capacityBytes, lock, type] = readFields(bytes, 3, "An output");
      const capacity = expectLength(capacityBytes!, 8, "A capacity").readBigUInt64LE();
      const address = addressOfLock(lock!, network);
      noteHashType(lock!);
      const data = outputsData[outputIndex]!;
      if (type!.length === 0) {
        const kind = data.length === 0 ? plain : isProgram(data) ? "code" : "data";
        return { address, token: null, amount: capacity, capacity, kind };
      }
      const typeScript = typeScriptOf(type!, network);
      noteHashType(type!);
      const statement = statementOf(typeScript, data, network);
      if (statement !== null) claims.push({ outputIndex, ...statement });
      const held = tokenOf(typeScript, data);
      if (held === null) {
        const kind = typeScript.known?.role === "dao" ? daoKind(data) : typeScript.kind;
        return { address, token: null, amount: capacity, capacity, kind };
      }
      const [token, amount] = held;
      return { address, token, amount, capacity, kind: typeScript.kind };
    }),
    claims,
  };
}

type Statement = Omit<MetadataClaim, "outputIndex">;

/** Reads the start of the Unique cell and the Omiga info cell: byte of decimals, sized name, sized symbol. */
function readNaming(data: Buffer): { naming: Omit<Statement, "assetId">; rest: Buffer } | null {
  const nameEnd = 2 + (data[1] ?? data.length);
  const symbolEnd = nameEnd + 1 + (data[nameEnd] ?? data.length);
  if (symbolEnd > data.length) return null;
  const name = claimText(data.subarray(2, nameEnd), MAX_NAME);
  const symbol = claimText(data.subarray(nameEnd + 1, symbolEnd), MAX_SYMBOL);
  return { naming: { name, symbol, decimals: data[0]! }, rest: data.subarray(symbolEnd) };
}

/** The type scripts of the tokens that an inscription's info cell with this type script may name. */
export function inscribedTokens(info: NodeScript, network: Network): NodeScript[] {
  const { owner, tokens } = inscriptionCode[network];
  const args = scriptHash({ ...owner, args: scriptHash(info) });
  return tokens.map((token) => ({ ...token, args }));
}

/** After the naming: type hash, supply and mint limit (u128), status (u8). The hash must be of a token of the inscription. */
function omigaStatement(script: NodeScript, data: Buffer, network: Network): Statement | null {
  const read = readNaming(data);
  if (read === null || read.rest.length < ID_LENGTH + 2 * AMOUNT_LENGTH + 1) return null;
  const assetId = bytesToHex(read.rest.subarray(0, ID_LENGTH));
  const isOwn = inscribedTokens(script, network).some((token) => scriptHash(token) === assetId);
  return isOwn ? { assetId, ...read.naming } : null;
}

/** Reads a table of name `Bytes`, description `Bytes` and, since version 2, a mutant id `BytesOpt`. */
function clusterStatement(script: NodeScript, data: Buffer): Statement | null {
  if (!hasId(script)) return null;
  return readData(data, 2, ([name, description]) => {
    readBytes(description!);
    return { assetId: script.args, name: claimText(readBytes(name!), MAX_NAME), symbol: "", decimals: null };
  });
}

function statementOf({ script, known }: TypeScript, data: Buffer, network: Network): Statement | null {
  if (known?.role === "omiga-info") return omigaStatement(script, data, network);
  if (known?.role === "collection") return clusterStatement(script, data);
  const read = known?.role === "unique" ? readNaming(data) : null;
  return read && { assetId: null, ...read.naming };
}
