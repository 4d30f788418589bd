import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { type ErrorCode, errorTable, issueCodes } from "#lib/contract/errors.ts";
import { eventData, eventSchema, events } from "#lib/contract/events.ts";
import {
  errorHeaders,
  eventStreamHeaders,
  type HeaderName,
  headerDeclarations,
  notModifiedHeaders,
  successHeaders,
} from "#lib/contract/headers.ts";
import { type Access, type Contract, extension, scopes, tags } from "#lib/contract/operation.ts";
import { type OperationName, operationNames, operations } from "#lib/queries/operations.ts";
import { aboutChain } from "./chain.ts";
import type { ApiExamples } from "./examples.ts";

const issueNames = Object.keys(issueCodes)
  .map((code) => `\`${code}\``)
  .join(", ");

const issue = z
  .object({
    path: z.array(z.string()).describe('`["query" | "path", name]`, or empty'),
    code: z.string().describe(`A stable name of what is wrong: ${issueNames}, or \`address_…\``),
    message: z.string().describe("The same for people"),
    height: z
      .int()
      .nonnegative()
      .optional()
      .describe("Only of `replaced`: the height up to which nothing changed, if that is known"),
  })
  .meta({ id: "Issue", description: "One violated parameter, or one reason for a refusal" });

const errorBody = z
  .object({
    code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]).describe("Stable"),
    message: z.string().describe("The same for people"),
    issues: z.array(issue),
  })
  .meta({ id: "Error", description: "The body of every error" });

const ifNoneMatch = z
  .string()
  .optional()
  .describe("The `ETag` of a response that you have: if it is still the current one, you get a 304");

/** The common fields of operations. An extension names scopes, because Spectral rejects scopes of bearer tokens. */
const aboutOf = ({ operationId, tag, summary, description, ...more }: AboutOperation, anyOf: Access) => ({
  operationId,
  tags: [tag],
  summary,
  description,
  ...(more.extension && extension),
  security: [{ accessToken: [] }],
  "x-scopes": [anyOf].flat(),
});
type AboutOperation = Pick<Contract, "operationId" | "tag" | "summary" | "description" | "extension">;

const componentOf = (kind: "headers" | "responses" | "schemas", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** `BAD_REQUEST` → `BadRequest`. */
const responseName = (code: ErrorCode) =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, componentOf("headers", name)]));

const HEAD_TOO_LONG = "HeadTooLong";

const errorResponses = (codes: readonly ErrorCode[]): ZodOpenApiResponsesObject => ({
  ...Object.fromEntries(
    codes.map((code) => [String(errorTable[code].status), componentOf("responses", responseName(code))]),
  ),
  "431": componentOf("responses", HEAD_TOO_LONG),
});

/** A streamed text. Its schema describes the parts as the items of a list. */
const streamed = (items: object, example: string | undefined) => ({
  schema: { type: "string", contentSchema: { type: "array", items } } as const,
  example,
});
const idOf = (schema: z.ZodType) => schema.meta()!.id!;

const lineOf = (entry: z.ZodType) => ({
  anyOf: [
    componentOf("schemas", idOf(entry)),
    {
      type: "object",
      description: "The last line",
      properties: { cursor: { type: "string", description: "Pass it as `cursor` to go on after the list" } },
      required: ["cursor"],
    },
  ],
});

function operation(name: OperationName, examples: ApiExamples): { get: ZodOpenApiOperationObject } {
  const contract: Contract = operations[name].contract;
  const { scope, params, query, response, entry, headers, errors, walk } = contract;
  const { answer, lines } = examples.operations[name];
  return {
    get: {
      ...aboutOf(contract, scope),
      requestParams: { path: params, query, header: z.object({ "If-None-Match": ifNoneMatch }) },
      responses: {
        "200": {
          description: response.description ?? contract.summary,
          headers: headersOf([...successHeaders, ...headers]),
          content: { "application/json": { schema: response, example: answer } },
          // In `content`, this would change the response's type in clients of `openapi-typescript`, and break them.
          ...(walk && { "x-content": { "application/x-ndjson": streamed(lineOf(entry), lines) } }),
        },
        "304": {
          description: "Not modified: `If-None-Match` names the current `ETag`",
          headers: headersOf([...notModifiedHeaders, ...headers]),
        },
        ...errorResponses(errors),
      },
    },
  };
}

function eventOperation({ events: example }: ApiExamples): { get: ZodOpenApiOperationObject } {
  const { query, errors: codes } = events;
  const lines = Object.entries(eventData).map(([name, data]) => `- \`${name}\`: ${data.description}`);
  return {
    get: {
      ...aboutOf({ ...events, extension: true }, scopes),
      requestParams: {
        query,
        header: z.object({
          "Last-Event-ID": z
            .string()
            .optional()
            .describe("The last `id` that was received: the stream goes on after it"),
        }),
      },
      responses: {
        "200": {
          description: `Events, each with a JSON object as its data:\n\n${lines.join("\n")}`,
          headers: headersOf(eventStreamHeaders),
          content: {
            "text/event-stream": streamed(componentOf("schemas", idOf(eventSchema)), example.answer),
          },
        },
        ...errorResponses(codes),
      },
    },
  };
}

function components({ errors, headTooLong, headers }: ApiExamples): ZodOpenApiObject["components"] {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const errorResponse = (description: string, code: ErrorCode, example: object) => ({
    description,
    headers: headersOf(errorHeaders[code]),
    content: { "application/json": { schema: errorBody, example } },
  });
  return {
    securitySchemes: {
      accessToken: {
        type: "http",
        scheme: "bearer",
        description: `An access token with the operation's scope: ${scopes.join(" or ")}. Each operation names its own in \`x-scopes\``,
      },
    },
    responses: {
      ...Object.fromEntries(
        codes.map((code) => [
          responseName(code),
          errorResponse(errorTable[code].message, code, errors[code]),
        ]),
      ),
      [HEAD_TOO_LONG]: errorResponse(
        "The request's head has more than 64 KB: shorten its URL or its headers",
        "BAD_REQUEST",
        headTooLong,
      ),
    },
    schemas: { [idOf(eventSchema)]: eventSchema },
    headers: Object.fromEntries(
      Object.entries(headerDeclarations).map(([name, { description, type, always, extension }]) => {
        const text = headers[name as HeaderName];
        return [
          name,
          {
            description,
            schema: type === "integer" ? { type, minimum: 0 } : { type: "string" },
            ...(always && { required: true }),
            ...(extension && { "x-extension": true }),
            ...(text !== undefined && { example: type === "integer" ? Number(text) : text }),
          },
        ];
      }),
    ),
  };
}

/** Adds each parameter's example, and moves the mark of an extension from its schema, where zod-openapi leaves it. */
function finishParameters(document: ReturnType<typeof createDocument>, examples: ApiExamples): void {
  const given = Object.fromEntries([
    ...operationNames.map((name) => [operations[name].contract.path, examples.operations[name].parameters]),
    [events.path, examples.events.parameters],
  ]) as Record<string, Record<string, unknown>>;
  for (const [path, { get }] of Object.entries(document.paths ?? {})) {
    for (const parameter of get?.parameters ?? []) {
      if (!("name" in parameter)) continue;
      parameter.example = given[path]?.[parameter.name];
      const { schema } = parameter;
      if (typeof schema !== "object") continue;
      if ("type" in schema && schema.type === "array")
        Object.assign(parameter, { style: "form", explode: true });
      if ("x-extension" in schema) {
        parameter["x-extension"] = true;
        delete schema["x-extension"];
      }
    }
  }
}

/** The API as an OpenAPI 3.1 document, generated from the schemas that also parse requests. */
export function openApiDocument(examples: ApiExamples) {
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Asset Query Service",
        version: "v0",
        description: `What an address holds, output by output, and what moved in a block. ${aboutChain} What is marked \`x-extension\` is an addition to the original v0, which clients can ignore.`,
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
        contact: { name: "The Asset Query Service authors" },
      },
      // The URL is relative to this document, so that a proxy may serve everything below a path of its own.
      servers: [{ url: ".", description: "This server" }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths: {
        ...Object.fromEntries(
          operationNames.map((name) => [operations[name].contract.path, operation(name, examples)]),
        ),
        [events.path]: eventOperation(examples),
      },
      components: components(examples),
    },
    {
      // Responses may get more fields, which must not break clients that validate them.
      override: ({ jsonSchema, io }) => {
        if (io === "output") delete jsonSchema.additionalProperties;
      },
    },
  );
  finishParameters(document, examples);
  return document;
}
