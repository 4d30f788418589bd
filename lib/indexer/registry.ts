import { dirname } from "node:path";
import { parse } from "@humanwhocodes/momoa";
import type { Chain } from "#lib/contract/chain.ts";
import { type RegistryEntry, registryEntry } from "#lib/contract/registry.ts";
import { registeredIds } from "#lib/queries/operator-data.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { excessAt } from "#lib/util/json.ts";
import { loadIcons } from "./icons.ts";
import { Faults, InvalidInputError, readInput } from "./input.ts";

/** The format has four levels. */
const MAX_DEPTH = 16;
/** Limit of a file in bytes: some hundred thousand entries, which are in memory together. */
const MAX_BYTES = 64_000_000;

/** Reads an array of entries or `{ "assets": [...] }`. Throws InvalidInputError, which names every fault. */
export async function readRegistry(file: string, idFault: Chain["assetIdFault"]): Promise<RegistryEntry[]> {
  return parseRegistry(await readInput(file, MAX_BYTES), file, idFault);
}

/**
 * Makes the entries of the file the whole registry: other assets lose listing and picture. An asset whose icon cannot be read
 * keeps the picture it had. Without `force`, throws InvalidInputError if there are no entries, but other assets. Returns the
 * number of listed assets, of icons that were read, and of other assets that have lost their listing.
 */
export async function loadRegistry(store: Store, file: string, entries: RegistryEntry[], force = false) {
  const ids = new Set(entries.map(({ id }) => id));
  const unlisted = (await store.query(registeredIds)).filter((id) => !ids.has(id));
  if (entries.length === 0 && unlisted.length > 0 && !force) {
    throw new InvalidInputError(
      `${file} lists no asset, so ${unlisted.length} would lose their listing, such as ${unlisted[0]}: add --force to let them`,
    );
  }
  const { icons, failures } = await loadIcons(entries, dirname(file));
  const kept = failures.map(({ assetId }) => assetId);
  await store.write(replaceRegistry, entries, icons, kept);
  return {
    assets: entries.length,
    icons: icons.length,
    iconFailures: failures,
    unlisted: unlisted.length,
  };
}

export function parseRegistry(
  text: string,
  file: string,
  idFault: Chain["assetIdFault"] = () => null,
): RegistryEntry[] {
  const json = parseJson(text, file);
  const list = Array.isArray(json) ? json : (json as { assets?: unknown } | null)?.assets;
  if (!Array.isArray(list)) {
    throw new InvalidInputError(`${file}: expected an array of assets, or an object with the array "assets"`);
  }
  const faults = new Faults(file);
  let lines: (number | undefined)[] | undefined;
  const lineOf = (i: number) => {
    lines ??= assetLines(text);
    return lines[i];
  };
  const fault = (i: number, what: string) =>
    faults.add(`${placeOf(file, lineOf(i))}: asset ${i + 1}: ${what}`);
  const firstAt = new Map<string, number>();
  const entries: RegistryEntry[] = [];
  for (const [i, item] of list.entries()) {
    const { success, data, error } = registryEntry.safeParse(item);
    if (!success) {
      for (const { path, message } of error.issues) {
        fault(i, `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`);
      }
      continue;
    }
    const impossible = idFault(data.id);
    if (impossible !== null) fault(i, `id: ${data.id} ${impossible}`);
    const first = firstAt.get(data.id);
    if (first !== undefined) {
      const line = lineOf(first);
      const where = line === undefined ? `as asset ${first + 1}` : `in line ${line}`;
      fault(i, `${data.id} is already listed ${where}`);
    }
    firstAt.set(data.id, i);
    entries.push(data);
  }
  faults.refuse();
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
    throw new InvalidInputError(`${placeOf(file, lineOfFault(text))}: not JSON: ${(error as Error).message}`);
  }
}

/** Maximum length of a text in which lines are located, in characters: locating them takes fifty times as much memory. */
const MAX_LOCATED = 8_000_000;

const placeOf = (file: string, line: number | undefined): string =>
  line === undefined ? file : `${file}:${line}`;

/** The line of a syntax error. JSON.parse names it for some errors only. */
function lineOfFault(text: string): number | undefined {
  if (text.length > MAX_LOCATED) return undefined;
  try {
    parse(text, { mode: "json" });
    return undefined;
  } catch (error) {
    return (error as { line: number }).line;
  }
}

/** The line on which each asset of a valid file begins; empty if the text is too long. */
function assetLines(text: string): number[] {
  if (text.length > MAX_LOCATED) return [];
  let { body } = parse(text, { mode: "json" });
  if (body.type === "Object") {
    // JSON.parse takes the last of several members with one name.
    body = body.members.findLast(({ name }) => name.type === "String" && name.value === "assets")!.value;
  }
  return body.type === "Array" ? body.elements.map(({ value }) => value.loc.start.line) : [];
}
