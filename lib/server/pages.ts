import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { READER_HEADER, type Reader, readerHeader } from "#lib/api/authenticate.ts";
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import { cacheable } from "#lib/api/responses.ts";
import type { Renderer } from "./framework.ts";
import { fileResponse } from "./public-files.ts";
import { REQUEST_ID_HEADER } from "./rendered-request.ts";

const POLICY = "content-security-policy";

export interface PageRequest extends Pick<ApiRequest, "method" | "header"> {
  /** The whole path and the query. */
  url: string;
  headers: IncomingHttpHeaders;
  id: string;
  /** Null without a session and without a guest. */
  reader: Reader | null;
}

/** Renders a page with the framework, under a policy that lets no other script run in it. */
export async function renderPage(
  framework: Renderer,
  { method, url, headers, header, reader, id }: PageRequest,
): Promise<ApiResponse> {
  const nonce = randomBytes(16).toString("base64");
  const policy = pagePolicy(`'nonce-${nonce}' 'strict-dynamic' ${framework.scripts ?? ""}`);
  const { status, body, ...rendered } = await framework.render(method, url, {
    ...forwardedHeaders(headers),
    ...(reader && { [READER_HEADER]: readerHeader(reader) }),
    // The framework takes the nonce of its scripts from the policy.
    [POLICY]: policy,
    [REQUEST_ID_HEADER]: id,
  });
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const page = cacheable(bytes, null, { ...rendered.headers, [POLICY]: policy });
  // Every rendering has another nonce, so there is nothing to revalidate.
  const acceptEncoding = (name: string) => (name === "accept-encoding" ? header(name) : undefined);
  return { ...(await fileResponse({ header: acceptEncoding }, page)), status };
}

/** Removes headers of the connection (RFC 9110, section 7.6.1) and the body, ours, and those of server actions. */
function forwardedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const left = [
    READER_HEADER,
    "connection",
    "keep-alive",
    "proxy-connection",
    "upgrade",
    "expect",
    "te",
    "trailer",
    "transfer-encoding",
    "content-length",
    "next-action",
  ];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name)));
}

/** The content security policy of a page. Styles may be inline, because dialogs lock scrolling with them. */
export function pagePolicy(scripts = ""): string {
  return [
    "default-src 'self'",
    `script-src 'self' ${scripts}`.trimEnd(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
