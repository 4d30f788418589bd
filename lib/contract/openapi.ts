import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from "zod-openapi";
import { addressUtxos, blockAssetChanges, scopes } from "./endpoints.ts";
import { type ErrorCode, errorTable } from "./errors.ts";

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
    description: "Names this request in the server's log",
  },
  "X-Tip-Height": { schema: { type: "integer" as const }, description: "Height of the newest indexed block" },
  "X-Tip-Hash": { schema: { type: "string" as const }, description: "Its hash" },
};

function responses(schema: z.ZodType, codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const errors = codes.map((code) => [
    String(errorTable[code].status),
    {
      description: errorTable[code].message,
      headers: tipHeaders,
      content: { "application/json": { schema: errorBody } },
    },
  ]);
  return {
    "200": {
      description: "Done",
      headers: { ...tipHeaders, ETag: { schema: { type: "string" } } },
      content: { "application/json": { schema } },
    },
    "304": { description: "Not changed since the `ETag` of `If-None-Match`" },
    ...Object.fromEntries(errors),
  };
}

type Endpoint = typeof addressUtxos | typeof blockAssetChanges;

function operation(
  endpoint: Endpoint,
  texts: Pick<ZodOpenApiOperationObject, "operationId" | "summary" | "description">,
): { get: ZodOpenApiOperationObject } {
  return {
    get: {
      ...texts,
      security: [{ accessToken: [endpoint.scope] }],
      requestParams: { path: endpoint.params, query: endpoint.query },
      responses: responses(endpoint.response, endpoint.errors),
    },
  };
}

/** The API as an OpenAPI 3.1 document, made from the schemas that also parse requests and check answers. */
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
      [addressUtxos.path]: operation(addressUtxos, {
        operationId: "listAddressUtxos",
        summary: "The unspent outputs of an address",
        description:
          "Oldest first: by block height, transaction index, output index. Follow `lastCursor` until `hasNext` is false.",
      }),
      [blockAssetChanges.path]: operation(blockAssetChanges, {
        operationId: "listBlockAssetChanges",
        summary: "What moved in a block, by asset",
        description:
          "`amount` is a JSON integer with all its digits, which may be more than a double holds. 404 where the block is not indexed or no longer canonical.",
      }),
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
