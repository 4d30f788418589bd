import { z } from "zod";
import { ApiError, type Issue } from "#lib/contract/errors.ts";
import type { ApiRequest } from "./reply.ts";

interface Shape {
  params: z.ZodObject;
  query: z.ZodObject;
}

type Values<E extends Shape> = z.output<E["params"]> & z.output<E["query"]>;

/**
 * The request's parameters as the endpoint declares them. Throws BAD_REQUEST with one issue for each
 * violated parameter, all at once. Unknown query parameters are ignored.
 */
export function parse<E extends Shape>(endpoint: E, request: ApiRequest): Values<E> {
  const { values, issues } = check(endpoint, request);
  if (issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
  return values as Values<E>;
}

/** As `parse`, for an operation with rules of its own: the values that are good, and what is wrong so far. */
export function check<E extends Shape>(
  endpoint: E,
  request: ApiRequest,
): { values: Partial<Values<E>>; issues: Issue[] } {
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
  for (const [name, schema] of Object.entries(endpoint.params.shape)) {
    read("path", name, schema as z.ZodType, request.params[name]);
  }
  for (const [name, schema] of Object.entries(endpoint.query.shape)) {
    const given = request.search.getAll(name);
    if (isList(schema as z.ZodType)) {
      read(
        "query",
        name,
        schema as z.ZodType,
        [...given, ...request.search.getAll(`${name}[]`)].filter(Boolean),
      );
    } else if (given.length > 1) {
      issues.push({ path: ["query", name], code: "repeated", message: "Expected at most one value" });
    } else {
      read("query", name, schema as z.ZodType, given[0]);
    }
  }
  return { values: values as Partial<Values<E>>, issues };
}

/** A list takes every value given for it, as `name` or `name[]`, without empty ones; a scalar takes one. */
const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodDefault ? isList(field.unwrap() as z.ZodType) : field instanceof z.ZodArray;
