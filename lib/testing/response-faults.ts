import { Ajv2020 } from "ajv/dist/2020.js";
import type { openApiDocument } from "#lib/reference/openapi.ts";

type Document = ReturnType<typeof openApiDocument>;

/** The parts of a response that the document describes. */
export interface SeenResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** Each function returns descriptions of faults; none if the response is valid. */
export interface ResponseChecker {
  /** Checks a response of the operation at this path: status, headers, media type and body. */
  response(path: string, response: SeenResponse): string[];
  /** Checks a value of the named schema. */
  value(schema: string, value: unknown): string[];
}

/** The parts of the document that are read here. */
interface ResponseDeclaration {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, object>;
  "x-content"?: Record<string, object>;
}
interface HeaderDeclaration {
  required?: boolean;
  schema: { type: string };
}

/** Headers of HTTP itself, which OpenAPI does not describe. */
const OF_HTTP = /^(connection|content-length|content-type|date|keep-alive|transfer-encoding)$/;

/** `~` and `/` in a JSON pointer within a URI. */
const pointer = (key: string) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Compares responses with an OpenAPI document. */
export function responseChecker(document: Document): ResponseChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, "api");
  const responses = document.components?.responses as Record<string, ResponseDeclaration>;
  const headers = document.components?.headers as Record<string, HeaderDeclaration>;
  const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

  const faultsOf = (at: string, value: unknown): string[] => {
    const check = ajv.getSchema(`api${at}`);
    if (!check) throw new Error(`The document has no schema at ${at}`);
    if (check(value)) return [];
    return check.errors!.map(({ instancePath, message }) => `${instancePath}: ${message}`);
  };

  const responseFaults: ResponseChecker["response"] = (path, { status, headers: sent, body }) => {
    const declared = document.paths?.[path]?.get?.responses?.[String(status)] as
      | (ResponseDeclaration & { $ref?: string })
      | undefined;
    if (!declared) return [`status ${status} is not declared`];
    const shared = declared.$ref === undefined ? undefined : nameOf(declared.$ref);
    const response = shared === undefined ? declared : responses[shared]!;
    const at =
      shared === undefined
        ? `#/paths/${pointer(path)}/get/responses/${status}`
        : `#/components/responses/${shared}`;

    const faults: string[] = [];
    const known = new Map(
      Object.values(response.headers ?? {}).map(({ $ref }) => {
        const name = nameOf($ref);
        return [name.toLowerCase(), headers[name]!];
      }),
    );
    for (const [name, { required, schema }] of known) {
      const value = sent.get(name);
      if (value === null) {
        if (required) faults.push(`header ${name} is missing`);
      } else if (schema.type === "integer" && !/^\d+$/.test(value))
        faults.push(`header ${name} is ${value}, not an integer`);
    }
    for (const name of sent.keys())
      if (!known.has(name) && !OF_HTTP.test(name)) faults.push(`header ${name} is not declared`);

    const type = sent.get("content-type")?.split(";")[0];
    const place = (["content", "x-content"] as const).find(
      (each) => type !== undefined && type in (response[each] ?? {}),
    );
    const schema = place && `${at}/${place}/${pointer(type!)}/schema`;
    if (!response.content) {
      if (body !== "") faults.push(`status ${status} has a body`);
    } else if (!schema) {
      faults.push(`type ${type} is not declared`);
    } else if (type === "application/json") {
      faults.push(...faultsOf(schema, JSON.parse(body)));
    } else {
      // The value is NDJSON or event data.
      const parts = type === "text/event-stream" ? /^data: (.*)$/gm : /^(.+)$/gm;
      for (const [, part] of body.matchAll(parts))
        faults.push(...faultsOf(`${schema}/contentSchema/items`, JSON.parse(part!)));
    }
    return faults;
  };

  return {
    response: responseFaults,
    value: (schema, value) => faultsOf(`#/components/schemas/${schema}`, value),
  };
}
