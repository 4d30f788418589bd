/** Typed requests to the page's own origin, with the reader's session cookie. Only types of the API reach the browser. */
import type { z } from "zod";
import type { ErrorBody, ErrorCode, Issue } from "#lib/contract/errors.ts";
import type { IndexTip, Tip } from "#lib/contract/ledger.ts";
import type { ContractOf, OperationName } from "#lib/queries/operations.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { withBase } from "./base-path.ts";
import type { Holding } from "./holdings.ts";
import { addressesIn, isWallet } from "./wallet.ts";

type Operation = ContractOf<OperationName>;

/** The API's operations by path, and lists that only pages request. */
type Requests = {
  [At in Operation as At["path"]]: {
    params: z.input<At["params"]>;
    query: z.input<At["query"]>;
    response: z.output<At["response"]>;
  };
} & {
  "/holdings": {
    params: { address: string; at: string };
    query: {
      address: string;
      at: string;
      collections: "yes" | "no";
      search: string;
      page: number;
      pageSize: number;
    };
    response: { result: Holding[]; total: number };
  };
};

export type RequestPath = keyof Requests;
export type Params<Path extends RequestPath> = Record<keyof Requests[Path]["params"], string>;
export type Query<Path extends RequestPath> = {
  [Name in keyof Requests[Path]["query"]]?: string | number | readonly string[] | undefined;
};

export interface Fetched<Data> {
  data: Data;
  /** The indexed tip when the response was read. */
  tip: IndexTip | null;
  /** The block that the response describes, if it names one. */
  asOf?: Tip | null | undefined;
  requestId: string;
}

/** The API's error codes, and failures that only the browser sees. */
export type RequestErrorCode =
  | ErrorCode
  | "UNREACHABLE"
  | "TIMEOUT"
  | "UNREADABLE"
  | "CURSOR_REPEATED"
  | "LIST_REPLACED";

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number = 0;
  readonly issues: Issue[] = [];
  readonly requestId: string = "";
  /** Seconds to wait, if the server names them. */
  readonly retryAfter: number | null = null;

  constructor(
    code: RequestErrorCode,
    message: string,
    about: Partial<Pick<RequestError, "status" | "issues" | "requestId" | "retryAfter">> = {},
  ) {
    super(message);
    this.code = code;
    Object.assign(this, about);
  }
}

/** Whether a request failed with one of these codes. */
export const hasCode = (error: unknown, ...codes: RequestErrorCode[]): boolean =>
  error instanceof RequestError && codes.includes(error.code);

/** The seconds of `Retry-After`; null without them. */
export function retryAfterOf(headers: Headers): number | null {
  const seconds = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) : null;
}

const TIMEOUT_MS = 30_000;

const OF_ADDRESS = "/v0/addresses/{address}/";

/**
 * Path and query of a request. Fills in `{name}`, repeats lists, and leaves out undefined and `""`. The lists of a wallet have
 * paths of their own, which name its addresses in the query.
 */
export function urlOf<Path extends RequestPath>(
  path: Path,
  params: Params<Path>,
  query: Query<Path>,
): string {
  const { address = "" } = params as { address?: string };
  if (path.startsWith(OF_ADDRESS) && isWallet(address)) {
    const together = path.replace(OF_ADDRESS, "/v0/") as "/v0/utxos";
    return urlOf(together, {}, { address: addressesIn(address), ...query });
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: keyof Params<Path>) =>
    encodeURIComponent(params[name]),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, Query<Path>[keyof Query<Path>]][]) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") search.append(name, String(one));
    }
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** A cURL command for a path and query; the shell fills in `$TOKEN`. */
export function curlOf(origin: string, path: string): string {
  return `curl -H "Authorization: Bearer $TOKEN" '${origin}${withBase(path).replaceAll("'", "%27")}'`;
}

/** Calls an operation. Throws RequestError, or the signal's reason if the caller aborted. */
export async function request<Path extends RequestPath>(
  path: Path,
  params: Params<Path>,
  query: Query<Path>,
  signal?: AbortSignal,
): Promise<Fetched<Requests[Path]["response"]>> {
  return fetchJson(urlOf(path, params, query), isPage, signal);
}

/** Rejects a proxy's response, which would otherwise look like an empty list. The browser has no schemas. */
const isPage = ({ result, total, hasNext, lastCursor }: Record<string, unknown>): boolean =>
  Array.isArray(result) &&
  (typeof total === "number" || (typeof hasNext === "boolean" && typeof lastCursor === "string"));

/** Requests any URL of the page's own origin that responds like the API. Throws the same errors as `request`. */
export async function fetchJson<Data>(
  url: string,
  isExpected: (body: Record<string, unknown>) => boolean,
  signal?: AbortSignal,
): Promise<Fetched<Data>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(withBase(url), {
      headers: { accept: "application/json" },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.aborted) throw new RequestError("TIMEOUT", `No response within ${TIMEOUT_MS / 1000} seconds`);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RequestError("UNREACHABLE", `The server could not be reached (${reason})`);
  }
  const { headers, ok, status } = response;
  const requestId = headers.get("x-request-id") ?? "";
  const body = readJson(text);
  if (!ok) throw errorOf(response, body, requestId);
  if (!isExpected(Object(body))) {
    throw new RequestError("UNREADABLE", "The response does not have the expected form", {
      status,
      requestId,
    });
  }
  return { data: body as Data, tip: tipOf(headers), asOf: blockIn(headers, "block"), requestId };
}

export async function fetchData<Data>(...args: Parameters<typeof fetchJson>): Promise<Data> {
  return (await fetchJson<Data>(...args)).data;
}

/** Returns undefined for text that is not JSON. */
function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function errorOf({ status, headers }: Response, body: unknown, requestId: string): RequestError {
  const about = { status, requestId, retryAfter: retryAfterOf(headers) };
  if (!isErrorBody(body)) {
    return new RequestError("UNREADABLE", `The server responded with status ${status}`, about);
  }
  const { message, issues } = body;
  const code = issues.some((issue) => issue.code === "replaced") ? "LIST_REPLACED" : body.code;
  return new RequestError(code, message, { ...about, issues });
}

function isErrorBody(body: unknown): body is ErrorBody {
  const { code, message, issues } = Object(body) as Partial<ErrorBody>;
  return typeof code === "string" && typeof message === "string" && Array.isArray(issues);
}

function blockIn(headers: Headers, which: "tip" | "block"): Tip | null {
  const height = headers.get(`x-${which}-height`);
  const hash = headers.get(`x-${which}-hash`);
  return height && hash && /^\d{1,15}$/.test(height) ? { height: Number(height), hash } : null;
}

function tipOf(headers: Headers): IndexTip | null {
  const tip = blockIn(headers, "tip");
  if (!tip) return null;
  const coverage = headers.get("x-index-coverage");
  // `fetch` decodes headers byte by byte, and the ellipsis has three bytes.
  return { ...tip, ...(coverage && { coverage: coverage.replace("\u00e2\u0080\u00a6", "…") }) };
}
