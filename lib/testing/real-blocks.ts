/**
 * Real blocks of public chains, which the repository does not carry. Tests read them from the folder in `REAL_BLOCKS`, by
 * default from a folder named `shared` beside the checkout, and are skipped if it has none.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = resolve(root, process.env.REAL_BLOCKS ?? "../shared");

/** The folder with the blocks of a family of chains, or null if there is none. */
export function realBlocks(family: "ckb" | "bitcoin"): string | null {
  const blocks = join(folder, `${family}-blocks`);
  return existsSync(blocks) ? blocks : null;
}

/** Says that tests of real blocks are skipped, or returns null if all blocks are there. */
export function skippedRealBlocks(): string | null {
  const missing = (["ckb", "bitcoin"] as const).filter((family) => !realBlocks(family));
  if (missing.length === 0) return null;
  const folders = missing.map((family) => `${family}-blocks`).join(" or ");
  return `Tests of real blocks are skipped: ${folder} has no ${folders}. REAL_BLOCKS names another folder.`;
}
