import { ApiError } from "#lib/contract/errors.ts";
import { currentCaller } from "../caller.ts";
import { chainStatus } from "../chain-status.ts";

/** Where the index stands, polled by the pages of a signed-in reader. Not counted against the quota. */
export async function GET(): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  if (!(await currentCaller())) {
    const { status, body } = new ApiError("UNAUTHORIZED");
    return Response.json(body, { status, headers });
  }
  return Response.json(await chainStatus(), { headers });
}
