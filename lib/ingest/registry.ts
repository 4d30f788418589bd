import { dirname } from "node:path";
import { parse } from "@humanwhocodes/momoa";
import { excessAt } from "#lib/contract/json.ts";
import { type RegistryEntry, registryEntry } from "#lib/contract/registry.ts";
import type { Store } from "#lib/store/engine.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { type IconFailure, loadIcons } from "./icons.ts";
import { Faults, InvalidInputError } from "./input-error.ts";
import { readInput } from "./read-input.ts";

/** The format has four levels. */
const MAX_DEPTH = 16;
/** Bytes of a file: some hundred thousand entries, which are in memory together. */
const MAX_BYTES = 64_000_000;

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
export async function loadRegistry(store: Store, file: string): Promise<LoadedRegistry> {
  const entries = parseRegistry(await readInput(file, MAX_BYTES), file);
  const { icons, failures } = await loadIcons(entries, dirname(file));
  await store.write(replaceRegistry, entries, icons);
  return { assets: entries.length, icons: icons.length, iconFailures: failures };
}

export function parseRegistry(text: string, file: string): RegistryEntry[] {
  const json = parseJson(text, file);
  const list = Array.isArray(json) ? json : (json as { assets?: unknown } | null)?.assets;
  if (!Array.isArray(list)) {
    throw new InvalidInputError(`${file}: expected an array of assets, or an object with the array "assets"`);
  }
  const lines = elementLines(text);
  const faults = new Faults();
  const firstAt = new Map<string, number>();
  const entries: RegistryEntry[] = [];
  for (const [i, item] of list.entries()) {
    const line = lines[i]!;
    const parsed = registryEntry.safeParse(item);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const path = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
        faults.add(`${file}:${line}: asset ${i + 1}: ${path}${issue.message}`);
      }
      continue;
    }
    const earlier = firstAt.get(parsed.data.id);
    if (earlier !== undefined) {
      faults.add(`${file}:${line}: asset ${i + 1}: ${parsed.data.id} is already listed in line ${earlier}`);
    }
    firstAt.set(parsed.data.id, line);
    entries.push(parsed.data);
  }
  faults.refuse(file);
  return entries;
}

function parseJson(text: string, file: string): unknown {
  const deep = excessAt(text, { levels: MAX_DEPTH });
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

/** Characters of a text in which the line of a fault is looked for: doing so takes forty times as much memory. */
const MAX_LOCATED = 8_000_000;

/** `:LINE`. JSON.parse tells it for some faults only, but always quotes what is there. */
function placeOfFault(text: string): string {
  if (text.length > MAX_LOCATED) return "";
  try {
    parse(text, { mode: "json" });
    return "";
  } catch (error) {
    return `:${(error as { line: number }).line}`;
  }
}

/**
 * The line on which each asset of a valid file begins, which JSON.parse does not tell. A parser that does would make
 * hundreds of bytes of every one of the text.
 */
function elementLines(text: string): number[] {
  let lines: number[] = [];
  let line = 1;
  let depth = 0;
  /** The depth of the list's elements: 1 in an array, 2 in the member "assets" of an object; 0: not in the list. */
  let listDepth = 0;
  let key = "";
  let isExpected = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\n" || (character === "\r" && text[at + 1] !== "\n")) line += 1;
    if (/[\s:]/.test(character)) continue;
    if (character === "]" || character === "}") {
      if (depth === listDepth) listDepth = 0;
      depth -= 1;
    } else if (character === ",") {
      isExpected = depth === listDepth;
    } else {
      if (isExpected) lines.push(line);
      isExpected = false;
      if (character === '"') {
        const end = endOfString(text, at);
        if (depth === 1 && listDepth === 0) key = text.slice(at, end + 1);
        at = end;
      } else if (character === "[" || character === "{") {
        depth += 1;
        // Of several members of one name, JSON.parse takes the last.
        const isList = depth === 1 || (depth === 2 && listDepth === 0 && JSON.parse(key || "0") === "assets");
        if (character === "[" && isList) {
          lines = [];
          listDepth = depth;
          isExpected = true;
        }
      }
    }
  }
  return lines;
}

/** The place of the quotation mark that closes the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end;
}
