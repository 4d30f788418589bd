/** Icons of assets, which `aqs assets load` stored. */
import type { ApiResponse } from "#lib/api/http-messages.ts";
import { matches } from "#lib/api/responses.ts";
import { assetIcon } from "#lib/queries/asset-icon.ts";
import type { Store } from "#lib/store/store.ts";

const MAX_AGE = 3600;

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  // A picture that is opened on its own must not load or run anything.
  "Content-Security-Policy": "default-src 'none'; sandbox",
};

function textResponse(status: number, text: string, cacheControl: string): ApiResponse {
  return {
    status,
    headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": cacheControl },
    body: `${text}\n`,
  };
}

/** The response without a session. It is the same for every asset, so it reveals nothing about the registry. */
export const signInForIcons = (): ApiResponse => textResponse(401, "Sign in to see icons.", "no-store");

/** `GET /asset-icons/{assetId}`. */
export async function handleIcon(
  store: Pick<Store, "query">,
  assetId: string,
  ifNoneMatch: string | null,
): Promise<ApiResponse> {
  const cacheControl = `private, max-age=${MAX_AGE}`;
  const icon = await store.query(assetIcon, assetId);
  if (!icon) return textResponse(404, "This asset has no icon.", cacheControl);
  const headers = { ...HEADERS, ETag: icon.etag, "Cache-Control": cacheControl };
  if (matches(ifNoneMatch, icon.etag)) return { status: 304, headers, body: "" };
  const { buffer, byteOffset, byteLength } = icon.picture;
  return {
    status: 200,
    headers: { ...headers, "Content-Type": "image/webp", "Content-Length": String(byteLength) },
    body: Buffer.from(buffer, byteOffset, byteLength),
  };
}
