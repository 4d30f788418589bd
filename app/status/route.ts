import { errorTable } from "#lib/contract/errors.ts";
import { currentCaller } from "../caller.ts";
import { chainStatus } from "../chain-status.ts";

/** Where the index stands, for the pages of whoever is signed in. */
export async function GET(): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  if (!(await currentCaller())) {
    const { status, message } = errorTable.UNAUTHORIZED;
    return Response.json({ code: "UNAUTHORIZED", message, issues: [] }, { status, headers });
  }
  return Response.json(await chainStatus(), { headers });
}
