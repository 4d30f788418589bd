/** Finds the heights of blocks in files, and yields the lowest first. */
import { DatabaseSync } from "node:sqlite";
import type { FileBlock, KnownBlocks } from "#lib/contract/chain.ts";
import { InvalidChainDataError, MissingBlocksError } from "#lib/contract/ledger.ts";
import { parseBlock } from "./block.ts";
import { sha256d, toName } from "./hashes.ts";
import { heightSaid, implausibility } from "./heights.ts";
import { type Currency, HEADER_BYTES, networkNamed } from "./networks.ts";

/** A block of a file, with the height and network that the file states. */
export interface FoundBlock {
  bytes: Buffer;
  height: number | null;
  network: string | null;
  where: string;
}

/** Blocks whose parents are looked up at once. */
const LOOKED_UP = 1_000;

/**
 * Nodes write blocks as they arrive, so a parent may be anywhere. Files may have any number of blocks, so they are in a
 * temporary file of SQLite. `own` is the height that the file or the block states, `below` the stored parent's height.
 */
const SCHEMA = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
  CREATE TABLE found (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, height INTEGER, network TEXT, place TEXT NOT NULL, bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE blocks (
    name TEXT PRIMARY KEY, parent TEXT NOT NULL, own INTEGER, below INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX by_parent ON blocks (parent);
  BEGIN`;
const ROOTS = `SELECT name, parent FROM blocks
  WHERE name > ? AND parent NOT IN (SELECT name FROM blocks) ORDER BY name LIMIT ${LOOKED_UP}`;
/** A parent's height takes precedence over a stated one. */
const IN_ORDER = `
  WITH RECURSIVE heights (name, height, below) AS (
    SELECT name, coalesce(below + 1, own), below FROM blocks WHERE parent NOT IN (SELECT name FROM blocks)
    UNION ALL
    SELECT b.name, coalesce(h.height + 1, b.own), h.height FROM heights h JOIN blocks b ON b.parent = h.name
  )
  SELECT found.id, heights.height, heights.below FROM found JOIN heights USING (name) ORDER BY 2, 1`;

export async function* inOrder(
  blocks: AsyncIterable<FoundBlock>,
  currency: Currency,
  known: KnownBlocks,
): AsyncGenerator<FileBlock> {
  using scratch = new DatabaseSync("");
  scratch.exec(SCHEMA);
  const network = networkNamed(currency, known.network);
  const addFound = scratch.prepare("INSERT INTO found VALUES (NULL, ?, ?, ?, ?, ?)");
  const addBlock = scratch.prepare("INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, NULL)");
  for await (const { bytes, height, network: own, where } of blocks) {
    const { name, parent } = namesIn(bytes);
    const said = own === null || own === known.network ? heightSaid(bytes, currency, network, where) : null;
    addFound.run(name, height, own, where, bytes);
    addBlock.run(name, parent, name === network.genesis ? 0 : (height ?? said));
  }

  const setBelow = scratch.prepare("UPDATE blocks SET below = ? WHERE name = ?");
  for (let after = ""; ; ) {
    const roots = scratch.prepare(ROOTS).all(after) as { name: string; parent: string }[];
    const heights = await known.heightsOf(roots.map(({ parent }) => parent));
    for (const [i, { name, parent }] of roots.entries()) {
      setBelow.run(parent === network.genesis ? 0 : heights[i]!, name);
    }
    if (roots.length < LOOKED_UP) break;
    after = roots.at(-1)!.name;
  }

  const readFound = scratch.prepare("SELECT height, network, place, bytes FROM found WHERE id = ?");
  for (const row of scratch.prepare(IN_ORDER).iterate()) {
    const { id, height, below } = row as Record<"id", number> & Record<"height" | "below", number | null>;
    const found = readFound.get(id) as unknown as Omit<FoundBlock, "where"> & { place: string };
    const { place: where, network: own } = found;
    const bytes = Buffer.from(found.bytes);
    yield {
      where,
      network: own,
      verify() {
        if (height === null) throw new MissingBlocksError(noHeight(bytes, where));
        const fault = (why: string) => new InvalidChainDataError(`${where}: ${why}`);
        if (found.height !== null && found.height !== height) {
          throw fault(`it is block ${height}, not ${found.height}`);
        }
        if (below === null && height > 0) {
          const said = heightSaid(bytes, currency, network, where);
          if (said !== null && said !== height)
            throw fault(`it says that it is block ${said}, not ${height}`);
          const why = implausibility(height, bytes.subarray(0, HEADER_BYTES), network);
          if (why !== null) throw fault(why);
        }
        return parseBlock(bytes, { currency, network, height, where });
      },
    };
  }
}

/** The hashes of a block and its parent. */
export function namesIn(bytes: Buffer): { name: string; parent: string } {
  const header = bytes.subarray(0, HEADER_BYTES);
  return { name: toName(sha256d(header)), parent: toName(header.subarray(4, 36)) };
}

const noHeight = (bytes: Buffer, where: string): string =>
  `${where}: the block does not say its height, and its parent ${namesIn(bytes).parent} is neither in a file nor stored: write the height before its hex, with a space between`;
