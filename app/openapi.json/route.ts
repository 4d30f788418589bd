import { openApiDocument } from "#lib/contract/openapi.ts";

export const dynamic = "force-static";

/** The API's description, from the schemas that it is made of. Needs no authorization. */
export const GET = () => Response.json(openApiDocument());
