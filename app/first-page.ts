import { headers } from "next/headers";
import { handle } from "#lib/api/handle.ts";
import type { Operation } from "#lib/api/operations.ts";
import { getService } from "#lib/api/service.ts";
import type { Answer } from "#lib/client/request.ts";
import { parseExactJson } from "#lib/contract/json.ts";

/**
 * What the API answers to the page's reader, so that a list's first rows come with its page. Through the
 * same operation, token and limits as any other request. Null where it does not answer with success: the
 * browser then asks by itself, and shows why.
 */
export async function firstPage<Data>(
  operation: Operation,
  params: Record<string, string>,
  path: string,
): Promise<Answer<Data> | null> {
  const sent = await headers();
  const reply = await handle(await getService(), operation, {
    method: "GET",
    params,
    search: new URLSearchParams(path.split("?")[1] ?? ""),
    // Only what says who asks: the browser's other headers are about the page, not about this answer.
    header: (name) => (name === "cookie" ? (sent.get(name) ?? undefined) : undefined),
  });
  if (reply.status !== 200) return null;
  const height = reply.headers["X-Tip-Height"];
  const hash = reply.headers["X-Tip-Hash"];
  return {
    data: parseExactJson(reply.body.toString()) as Data,
    tip: height !== undefined && hash !== undefined ? { height: Number(height), hash } : null,
    requestId: reply.headers["X-Request-Id"] ?? "",
  };
}
