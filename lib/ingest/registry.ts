import { dirname } from "node:path";
import { parse } from "@humanwhocodes/momoa";
import { tooDeepAt } from "#lib/contract/json.ts";
import { type RegistryEntry, registryEntry } from "#lib/contract/registry.ts";
import type { Ledger } from "#lib/store/store.ts";
import { type IconFailure, loadIcons } from "./icons.ts";
import { InvalidInputError } from "./input-error.ts";
import { readInput } from "./read-input.ts";

/** The format has four levels. */
const MAX_DEPTH = 16;

export interface LoadedRegistry {
  /** How many assets the file lists. */
  assets: number;
  /** How many of them have a picture now. */
  icons: number;
  iconFailures: IconFailure[];
}

/**
 * Makes the file the whole asset registry: assets that it does not list lose their listing, and icons that it does not
 * name, or that cannot be read, lose their picture. The file is a JSON array of entries, or `{ "assets": [...] }`.
 * Throws InvalidInputError that names every fault with its line; then nothing is changed.
 */
export async function loadRegistry(store: Ledger, file: string): Promise<LoadedRegistry> {
  const entries = parseRegistry(await readInput(file), file);
  const { icons, failures } = await loadIcons(entries, dirname(file));
  await store.replaceRegistry(entries, icons);
  return { assets: entries.length, icons: icons.length, iconFailures: failures };
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
  if (faults.length > 0) throw new InvalidInputError(faults);
  return entries;
}

function parseJson(text: string, file: string): unknown {
  const deep = tooDeepAt(text, MAX_DEPTH);
  if (deep !== null) {
    const line = text.slice(0, deep).split(/\r\n|\r|\n/).length;
    throw new InvalidInputError(`${file}:${line}: nested more than ${MAX_DEPTH} levels deep`);
  }
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
