import { readFile } from "node:fs/promises";
import { type RegistryEntry, registryEntry } from "#lib/contract/registry.ts";
import type { Store } from "#lib/store/store.ts";
import { InvalidInputError } from "./input-error.ts";

/**
 * Makes the file the whole asset registry: what it no longer lists loses its listing. The file is a JSON
 * array of entries, or `{ "assets": [...] }`. All or nothing: every fault is named with its line.
 * Returns how many assets it lists.
 */
export async function loadRegistry(store: Store, file: string): Promise<number> {
  const entries = parseRegistry(await readInput(file), file);
  await store.replaceRegistry(entries);
  return entries.length;
}

export function parseRegistry(text: string, file: string): RegistryEntry[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`${file}: not JSON: ${(error as Error).message}`);
  }
  const list = Array.isArray(json) ? json : (json as { assets?: unknown } | null)?.assets;
  if (!Array.isArray(list)) {
    throw new InvalidInputError(`${file}: expected an array of assets, or an object with the array "assets"`);
  }
  const lines = elementLines(text);
  const faults: string[] = [];
  const firstAt = new Map<string, number>();
  const entries: RegistryEntry[] = [];
  for (const [i, item] of list.entries()) {
    const line = lines[i] ?? 1;
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

/**
 * The line on which each element of the file's list begins. JSON.parse gives no places, so this walks the
 * brackets of text that is known to be valid JSON: the list is the outermost array, or the first array
 * inside the outermost object.
 */
function elementLines(text: string): number[] {
  const lines: number[] = [];
  const listDepth = text.trimStart().startsWith("[") ? 1 : 2;
  let line = 1;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\n") line += 1;
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "[" || char === "{") {
      if (depth === listDepth) lines.push(line);
      depth += 1;
    } else if (char === "]" || char === "}") depth -= 1;
  }
  return lines;
}

/** A file's text; a file that cannot be read is a fault of the input. */
export async function readInput(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new InvalidInputError(`${file}: ${(error as Error).message}`);
  }
}
