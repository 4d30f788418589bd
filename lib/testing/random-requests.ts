/** Random requests, drawn from an OpenAPI document: valid ones, nearly valid ones, and others. */
import type { openApiDocument } from "#lib/reference/openapi.ts";

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Odd texts for URLs. */
export const SPECIAL = [
  "%00",
  "%0d%0a",
  "%",
  "%zz",
  "%c3%28",
  "%2e%2e",
  "%2F",
  "%F0%9F%92%A9",
  "'",
  '"',
  "<",
  "\\",
  "..",
  ";",
  "+",
  "%25",
];

const NUMBERS = [
  "-1",
  "0",
  "1e2",
  "0x10",
  "10.0",
  "%2010",
  "",
  "9".repeat(20),
  "9".repeat(400),
  "NaN",
  "1_0",
  "01",
];

/** Draws values that depend only on the seed. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  /** The text itself in two cases of five, and otherwise one that begins with it. */
  mutated(text: string): string {
    if (this.chance(0.4)) return text;
    const at = this.below(text.length + 1);
    switch (this.below(8)) {
      case 0:
        return text.slice(0, at);
      case 1:
        return text.slice(0, at) + this.pick(SPECIAL) + text.slice(at);
      case 2:
        return text.slice(0, at) + this.pick([..."0aqz1Q-_"]) + text.slice(at + 1);
      case 3:
        return text.toUpperCase();
      case 4:
        return text + text;
      case 5:
        return text.slice(at) + text.slice(0, at);
      case 6:
        return "";
      default:
        return text + "q".repeat(this.below(3000));
    }
  }
}

interface Schema {
  type?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  enum?: readonly string[];
  items?: Schema;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
  example?: unknown;
}

/** Values of parameters by their names, beside those that the schemas and examples give. */
export type Seeds = Readonly<Record<string, readonly string[]>>;

/** Encodes a value for a URL. */
function valueFrom(
  draw: Draw,
  { type, minimum = 0, maximum = 1000, ...schema }: Schema,
  known: string[],
): string {
  if (type === "integer") {
    const edges = [minimum - 1, minimum, minimum + 1, maximum, maximum + 1, draw.below(maximum)].map(String);
    return draw.pick([...edges, ...known, draw.pick(NUMBERS)]);
  }
  return draw.mutated(draw.pick([...known, ...(schema.enum ?? []), String(schema.default ?? "")]));
}

/**
 * Draws the target of a GET request to one of the document's operations. Each parameter of the query may be missing;
 * a list has several values in each of its spellings, and a scalar sometimes has two.
 */
export function targetFrom(
  document: ReturnType<typeof openApiDocument>,
  draw: Draw,
  seeds: Seeds = {},
): string {
  const [path, { get }] = draw.pick(Object.entries(document.paths ?? {}));
  const parameters = get?.parameters as Parameter[];
  let target = path;
  const pairs: string[] = [];
  for (const { name, in: place, schema, example } of parameters) {
    const known = [example].flat().map(String);
    const value = () => valueFrom(draw, schema.items ?? schema, [...known, ...(seeds[name] ?? [])]);
    if (place === "path") target = target.replace(`{${name}}`, () => value());
    if (place !== "query" || draw.chance(0.5)) continue;
    if (schema.type === "array") {
      const spelling = draw.pick([name, `${name}[]`, `${name}[0]`, `${name}%5B%5D`]);
      pairs.push(...draw.times(draw.below(4), () => `${spelling}=${value()}`));
    } else pairs.push(...draw.times(draw.chance(0.05) ? 2 : 1, () => `${name}=${value()}`));
  }
  return pairs.length === 0 ? target : `${target}?${pairs.join("&")}`;
}
