import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from "zod-openapi";
import { endpoints, type OperationDeclaration, scopes } from "./endpoints.ts";
import { type ErrorCode, errorTable } from "./errors.ts";
import { eventData, events } from "./events.ts";

const issue = z
  .object({
    path: z.array(z.string()).describe('`["query" | "path", name]`, or empty'),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: "Issue" });

const errorBody = z
  .object({
    code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    issues: z.array(issue),
  })
  .meta({ id: "Error" });

const tipHeaders = {
  "X-Request-Id": {
    schema: { type: "string" as const },
    description: "Identifies this request in the server's log",
  },
  "X-Tip-Height": { schema: { type: "integer" as const }, description: "Height of the newest indexed block" },
  "X-Tip-Hash": { schema: { type: "string" as const }, description: "Its hash" },
  "X-Index-Coverage": {
    schema: { type: "string" as const },
    description:
      "Sent only if some heights from 0 to the tip are not indexed: those that are, such as `12043751, 14110309-14110312`. Beyond 10 ranges it ends with `…`. What is unspent, and totals, hold only within them",
  },
};

function errorResponses(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const errors = codes.map((code) => [
    String(errorTable[code].status),
    {
      description: errorTable[code].message,
      headers: tipHeaders,
      content: { "application/json": { schema: errorBody } },
    },
  ]);
  return Object.fromEntries(errors);
}

function responses(schema: z.ZodType, codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  return {
    "200": {
      description: "Success",
      headers: { ...tipHeaders, ETag: { schema: { type: "string" } } },
      content: { "application/json": { schema } },
    },
    "304": { description: "Not modified: `If-None-Match` names the current `ETag`" },
    ...errorResponses(codes),
  };
}

function operation(declaration: OperationDeclaration): { get: ZodOpenApiOperationObject } {
  const { operationId, summary, description, scope, params, query, response, errors } = declaration;
  return {
    get: {
      operationId,
      summary,
      description,
      security: [{ accessToken: [scope] }],
      requestParams: { path: params, query },
      responses: responses(response, errors),
    },
  };
}

/** The stream of events, which has a body of its own kind. */
function eventOperation(): { get: ZodOpenApiOperationObject } {
  const { operationId, summary, description, query, errors: codes } = events;
  const lines = Object.entries(eventData).map(([name, data]) => {
    const fields = Object.keys(data.shape).join(", ");
    return `- \`${name}\` (${fields}): ${data.description}`;
  });
  return {
    get: {
      operationId,
      summary,
      description,
      security: scopes.map((scope) => ({ accessToken: [scope] })),
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
        ...errorResponses(codes),
        "200": {
          description: `Events, each with a JSON object as its data:\n\n${lines.join("\n")}`,
          headers: tipHeaders,
          content: { "text/event-stream": { schema: z.string() } },
        },
      },
    },
  };
}

/** The API as an OpenAPI 3.1 document, made from the schemas that also parse requests. */
export function openApiDocument() {
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Asset Query Service",
      version: "v0",
      description: "What an address holds, output by output, and what moved in a block.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths: {
      ...Object.fromEntries(
        Object.values(endpoints).map((declaration) => [declaration.path, operation(declaration)]),
      ),
      [events.path]: eventOperation(),
    },
    components: {
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: `An access token with the scope: ${scopes.join(", ")}`,
        },
      },
    },
  });
}
