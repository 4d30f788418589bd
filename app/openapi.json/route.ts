import { openApiDocument } from "#lib/contract/openapi.ts";

export const dynamic = "force-static";

/** The API's OpenAPI document. Needs no authorization. */
export const GET = () => Response.json(openApiDocument());
