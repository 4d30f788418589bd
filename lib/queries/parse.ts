import { z } from "zod";
import { type BlockRange, blockRange, FROM_ABOVE_TO, heightIn } from "#lib/contract/block-reference.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { ApiError, type Issue, type IssueCode } from "#lib/contract/errors.ts";
import type { Address } from "#lib/contract/ledger.ts";
import type { Contract } from "#lib/contract/operation.ts";

type Shape = Pick<Contract, "params" | "query">;

/** zod's type for an object without fields, `Record<string, never>`, would make every field of an intersection `never`. */
type Output<T extends z.ZodObject> = z.output<T> extends Record<string, never> ? unknown : z.output<T>;

export type Values<D extends Shape> = Output<D["params"]> & Output<D["query"]>;

export interface Checked<V> {
  /** The valid parameters. */
  given: Partial<V>;
  /** One issue for each invalid parameter. An operation with rules of its own adds to them. */
  issues: Issue[];
  /** All parameters. Throws BAD_REQUEST with the issues, if there are any. */
  values(): V;
}

interface Field {
  part: "path" | "query";
  name: string;
  schema: z.ZodType;
  isList: boolean;
  /** The latest value, parsed: a client that walks a list sends most values again with each page. */
  last?: { given: string | undefined; parsed: z.ZodSafeParseResult<unknown> };
}

const fieldCache = new WeakMap<Shape, Field[]>();

function fieldsOf(declaration: Shape): Field[] {
  const cached = fieldCache.get(declaration);
  if (cached) return cached;
  const fieldsIn = (part: Field["part"], { shape }: z.ZodObject) =>
    Object.entries<z.ZodType>(shape).map(
      ([name, schema]): Field => ({ part, name, schema, isList: isList(schema) }),
    );
  const fields = [...fieldsIn("path", declaration.params), ...fieldsIn("query", declaration.query)];
  fieldCache.set(declaration, fields);
  return fields;
}

function parseField(field: Field, given: string | string[] | undefined): z.ZodSafeParseResult<unknown> {
  if (field.last && field.last.given === given) return field.last.parsed;
  const parsed = field.schema.safeParse(given);
  if (!Array.isArray(given)) field.last = { given, parsed };
  return parsed;
}

/** Reads parameters as the operation declares them. Ignores unknown query parameters. */
export function check<D extends Shape>(
  declaration: D,
  params: Record<string, string>,
  search: URLSearchParams,
): Checked<Values<D>> {
  const issues: Issue[] = [];
  const values: Record<string, unknown> = {};
  for (const field of fieldsOf(declaration)) {
    const { part, name, isList } = field;
    const many = part === "query" ? search.getAll(name) : [];
    if (!isList && many.length > 1) {
      issues.push({ path: [part, name], code: "repeated", message: "Expected at most one value" });
      continue;
    }
    const one = part === "path" ? params[name] : many[0];
    const given = isList ? listOf(search, name).filter(Boolean) : one;
    const parsed = parseField(field, given);
    if (parsed.success) values[name] = parsed.data;
    else {
      const fault = parsed.error.issues[0]!;
      const code = (fault.code === "custom" ? fault.params?.code : fault.code) as IssueCode;
      issues.push({ path: [part, name], code, message: fault.message });
    }
  }
  if (declaration.query.shape.from === blockRange.from) {
    const { from, to } = values as BlockRange;
    if ((heightIn(from) ?? 0) > (heightIn(to) ?? Number.POSITIVE_INFINITY)) issues.push(FROM_ABOVE_TO);
  }
  return {
    given: values as Partial<Values<D>>,
    issues,
    values() {
      if (issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
      return values as Values<D>;
    },
  };
}

/** Libraries add this to the name of a list: `[]`, `[0]`, `[a]` or `.0`. */
const LIST_SUFFIX = /^(\[[^[\]]*\]|\.\d{1,9})$/;

/** The values of a list: the parameter may be repeated, and each may hold several values, separated by commas. */
export function listOf(search: URLSearchParams, name: string): string[] {
  const isOfList = (key: string) =>
    key === name || (key.startsWith(name) && LIST_SUFFIX.test(key.slice(name.length)));
  return [...search].flatMap(([key, value]) => (isOfList(key) ? value.split(",") : []));
}

/** A list takes all its values apart from empty ones; a scalar takes one. */
const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodDefault ? isList(field.unwrap() as z.ZodType) : field instanceof z.ZodArray;

/** An address as a request named it. */
export interface NamedAddress extends Address {
  named: string;
}

/** The addresses of a request, each once. Cursors are bound to the key. */
export interface Wallet {
  key: string;
  all: NamedAddress[];
}

/** Reads addresses as `readAddress` does. Forms of one address count once, and `onRepeated` is told of each further one. */
export async function readWallet(
  context: { parseAddress(text: string): Promise<Address> },
  texts: readonly string[],
  issues: Issue[],
  part: "path" | "query",
  onRepeated?: (text: string, first: string) => void,
): Promise<Wallet> {
  const byKey = new Map<string, NamedAddress>();
  for (const named of texts) {
    const address = await readAddress(context, named, issues, part);
    if (!address) continue;
    const first = byKey.get(address.key);
    if (first) onRepeated?.(named, first.named);
    else byKey.set(address.key, { ...address, named });
  }
  return { key: [...byKey.keys()].join(), all: [...byKey.values()] };
}

/** Reads the parameter `address` of a list, which is a part of the path or a list in the query, as `readWallet` does. */
export const walletReader =
  (context: { parseAddress(text: string): Promise<Address> }, part: "path" | "query") =>
  async ({ address = [] }: { address?: string | string[]; [name: string]: unknown }, issues: Issue[]) => ({
    address: await readWallet(context, [address].flat(), issues, part),
  });

/** Reads an address, or adds an issue and returns undefined. `part`: where the request has the address. */
export async function readAddress(
  { parseAddress }: { parseAddress(text: string): Promise<Address> },
  text: string,
  issues: Issue[],
  part: "path" | "query" = "path",
): Promise<Address | undefined> {
  try {
    return await parseAddress(text);
  } catch (error) {
    if (!isAddressError(error)) throw error;
    issues.push({ path: [part, "address"], code: error.code, message: error.message });
  }
}
