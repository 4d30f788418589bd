import { z } from "zod";
import { type BlockRange, blockRange, FROM_ABOVE_TO, heightIn } from "#lib/contract/block-reference.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { ApiError, type Issue } from "#lib/contract/errors.ts";
import type { Address } from "#lib/contract/ledger.ts";
import type { Contract } from "#lib/contract/operation.ts";

type Shape = Pick<Contract, "params" | "query">;

/** To zod, an object without fields has every field, and none has a value. */
type Output<T extends z.ZodObject> = z.output<T> extends Record<string, never> ? unknown : z.output<T>;

export type Values<D extends Shape> = Output<D["params"]> & Output<D["query"]>;

/** A request's parameters as far as they are valid, and one issue for each that is not. */
export interface Checked<V> {
  given: Partial<V>;
  /** An operation with rules of its own adds to them. */
  issues: Issue[];
  /** All values. Throws BAD_REQUEST with the issues, if there are any. */
  values(): V;
}

/** Reads parameters as the operation declares them. Ignores unknown query parameters. */
export function check<D extends Shape>(
  declaration: D,
  params: Record<string, string>,
  search: URLSearchParams,
): Checked<Values<D>> {
  const issues: Issue[] = [];
  const values: Record<string, unknown> = {};
  const read = (part: "path" | "query", name: string, schema: z.ZodType, given: unknown) => {
    const parsed = schema.safeParse(given);
    if (parsed.success) values[name] = parsed.data;
    else
      issues.push({
        path: [part, name],
        code: parsed.error.issues[0]!.code,
        message: parsed.error.issues[0]!.message,
      });
  };
  for (const [name, schema] of Object.entries(declaration.params.shape)) {
    read("path", name, schema as z.ZodType, params[name]);
  }
  for (const [name, schema] of Object.entries(declaration.query.shape)) {
    const given = search.getAll(name);
    if (isList(schema as z.ZodType)) {
      read("query", name, schema as z.ZodType, listOf(search, name).filter(Boolean));
    } else if (given.length > 1) {
      issues.push({ path: ["query", name], code: "repeated", message: "Expected at most one value" });
    } else {
      read("query", name, schema as z.ZodType, given[0]);
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

/** The values of a list: `name`, or as many libraries write it, `name[]` or `name[0]`. */
export function listOf(search: URLSearchParams, name: string): string[] {
  const isOfList = (key: string) =>
    key === name || (key.startsWith(name) && /^\[\d{0,9}\]$/.test(key.slice(name.length)));
  return [...search].flatMap(([key, value]) => (isOfList(key) ? [value] : []));
}

/** A list takes all its values without empty ones; a scalar takes one. */
const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodDefault ? isList(field.unwrap() as z.ZodType) : field instanceof z.ZodArray;

/** Undefined if it cannot be read: then an issue says why. `part`: where the request has it. */
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
