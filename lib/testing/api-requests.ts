import { apiPaths } from "#lib/server/api-routes.ts";

/** Stored data that the requests find. */
export interface Stored {
  address: string;
  blockHash: string;
  /** A transaction's hash, and an output of it. */
  hash: string;
  outPoint: string;
  /** An asset's id. */
  id: string;
  tokens: { full: string; utxosOnly: string };
}

export interface SentRequest {
  path: string;
  method: string;
  headers: Record<string, string>;
}

/** An origin for which CORS_ORIGINS may be set. */
export const PAGE_ORIGIN = "https://app.example";

/** Requests for every path of the API, and for unknown paths. */
export function apiRequests({ tokens, ...params }: Stored): SentRequest[] {
  const send = (path: string, headers: Record<string, string> = {}, method = "GET"): SentRequest => ({
    path,
    method,
    headers: {
      Accept: "*/*",
      "Accept-Encoding": "identity",
      "X-Request-Id": "sent-1",
      Authorization: `Bearer ${tokens.full}`,
      ...headers,
    },
  });
  const fill = (declared: string, write: (value: string) => string) =>
    declared.replace(/\{(\w+)\}/g, (_, name: keyof typeof params) => write(params[name]));
  // Requests for a list of addresses need one.
  const query = `?address=${params.address}`;

  const known = Object.values(apiPaths).flatMap((declared) => {
    const path = fill(declared, String) + query;
    return [
      send(path),
      send(`${path}&pageSize=1&include=kind`),
      send(`${path}&pageSize=0&page=0&cursor=x&from=x&at=x&address=x`),
      send(fill(declared, escaped) + query),
      send(fill(declared, () => "a%2Fb%00%E2%98%83") + query),
      send(`${fill(declared, String)}/${query}`),
      send(path, { Accept: "application/x-ndjson" }),
      send(path, { Accept: "text/csv" }),
      send(path, { "If-None-Match": "*" }),
      send(path, { "Last-Event-ID": "x" }),
      send(path, { Authorization: "" }),
      send(path, { Authorization: "Bearer unknown" }),
      send(path, { Authorization: "", Cookie: `aqs_session=${tokens.full}` }),
      send(path, { Authorization: `Bearer ${tokens.utxosOnly}` }),
      send(path, { Origin: PAGE_ORIGIN }),
      send(path, { Origin: PAGE_ORIGIN, "Access-Control-Request-Method": "GET" }, "OPTIONS"),
      ...["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"].map((method) => send(path, {}, method)),
    ];
  });
  const unknown = ["/v0", "/v0/", "/v0/nothing", "/v0/addresses", "/v0/assets/a/b", "/v0/blocks/tip/x"];
  return [
    ...known,
    ...unknown.flatMap((path) => ["GET", "HEAD", "POST"].map((each) => send(path, {}, each))),
  ];
}

/** Percent-encodes every byte. */
const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** Headers about a single connection. */
const CONNECTION_FIELDS = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];

/** Status, headers and body. Only the first event is read of a stream of events. */
export async function readResponse(response: Response) {
  const headers = Object.fromEntries(response.headers);
  for (const name of CONNECTION_FIELDS) delete headers[name];
  // The framework puts its own headers before ours.
  if (headers.vary) headers.vary = headers.vary.replace(/^rsc(, next-[\w-]+)+(, |$)/, "");
  if (headers.vary === "") delete headers.vary;
  let body = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    body += decoder.decode(piece, { stream: true });
    if (headers["content-type"] === "text/event-stream" && /event: .*\n\n/s.test(body)) break;
  }
  return { status: response.status, headers, body };
}
