import { readFile } from "node:fs/promises";
import { parse } from "@humanwhocodes/momoa";
import { type RegistryEntry, registryEntry } from "#lib/contract/registry.ts";
import type { Ledger } from "#lib/store/store.ts";
import { InvalidInputError } from "./input-error.ts";

/**
 * Makes the file the whole asset registry: what it no longer lists loses its listing. The file is a JSON
 * array of entries, or `{ "assets": [...] }`. All or nothing: every fault is named with its line.
 * Returns how many assets it lists.
 */
export async function loadRegistry(store: Ledger, file: string): Promise<number> {
  const entries = parseRegistry(await readInput(file), file);
  await store.replaceRegistry(entries);
  return entries.length;
}

export function parseRegistry(text: string, file: string): RegistryEntry[] {
  const json = parseJson(text, file);
  const list = Array.isArray(json) ? json : (json as { assets?: unknown } | null)?.assets;
  if (!Array.isArray(list)) {
    throw new InvalidInputError(`${file}: expected an array of assets, or an object with the array "assets"`);
  }
  const lines = elementLines(text);
  const faults: string[] = [];
  const firstAt = new Map<string, number>();
  const entries: RegistryEntry[] = [];
  for (const [i, item] of list.entries()) {
    const line = lines[i]!;
    const parsed = registryEntry.safeParse(item);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const path = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
        faults.push(`${file}:${line}: asset ${i + 1}: ${path}${issue.message}`);
      }
      continue;
    }
    const earlier = firstAt.get(parsed.data.id);
    if (earlier !== undefined) {
      faults.push(`${file}:${line}: asset ${i + 1}: ${parsed.data.id} is already listed in line ${earlier}`);
    }
    firstAt.set(parsed.data.id, line);
    entries.push(parsed.data);
  }
  if (faults.length > 0) throw new InvalidInputError(faults.join("\n"));
  return entries;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`${file}${placeOfFault(text)}: not JSON: ${(error as Error).message}`);
  }
}

/** `:LINE`. JSON.parse tells it for some faults only. */
function placeOfFault(text: string): string {
  try {
    parse(text, { mode: "json" });
    return "";
  } catch (error) {
    return `:${(error as { line: number }).line}`;
  }
}

/** The line on which each asset of a valid file begins, which JSON.parse does not tell. */
function elementLines(text: string): number[] {
  const { body } = parse(text, { mode: "json" });
  const list =
    body.type === "Object"
      ? body.members.findLast(({ name }) => name.type === "String" && name.value === "assets")?.value
      : body;
  return list?.type === "Array" ? list.elements.map(({ value }) => value.loc.start.line) : [];
}

/** A file's text without a byte order mark; a file that cannot be read is a fault of the input. */
export async function readInput(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
}
