/**
 * Requests to the page's own origin, with the reader's session cookie. The list of operations types what the API
 * takes and gives. Only its types reach the browser.
 */
import type { z } from "zod";
import type { ErrorBody, ErrorCode, Issue } from "#lib/contract/errors.ts";
import type { IndexTip, Tip } from "#lib/contract/ledger.ts";
import type { ContractOf, OperationName } from "#lib/queries/list.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { withBase } from "./base-path.ts";
import type { Holding } from "./holdings.ts";

type Operation = ContractOf<OperationName>;

/** What can be requested at each path: the API's operations, and lists that only pages ask for. */
type Requests = {
  [At in Operation as At["path"]]: {
    params: z.input<At["params"]>;
    query: z.input<At["query"]>;
    response: z.output<At["response"]>;
  };
} & {
  "/holdings": {
    params: { address: string };
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
  /** The indexed tip at which it was read. */
  tip: IndexTip | null;
  /** The block that it is as of, if it says so. */
  asOf?: Tip | null | undefined;
  requestId: string;
}

/** The API's codes, and what can go wrong before or around an answer. */
export type RequestErrorCode =
  | ErrorCode
  | "UNREACHABLE"
  | "TIMEOUT"
  | "UNREADABLE"
  | "CURSOR_REPEATED"
  | "LIST_REPLACED"
  | "LIST_CHANGED";

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;
  /** Of the HTTP answer; 0 if there was none. */
  readonly status: number = 0;
  readonly issues: Issue[] = [];
  readonly requestId: string = "";
  /** Seconds to wait, if the server said so. */
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

const TIMEOUT_MS = 30_000;

/** The path and query of a request: `{name}` filled in, lists repeated, undefined and `""` left out. */
export function urlOf<Path extends RequestPath>(
  path: Path,
  params: Params<Path>,
  query: Query<Path>,
): string {
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

/** The same request for a shell, with the token as `$TOKEN`. `path` is what `urlOf` gives. */
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

/** Whether this is a page of a list. The browser has no schemas, but must not take a proxy's answer for an empty list. */
const isPage = ({ result, total, hasNext, lastCursor }: Record<string, unknown>): boolean =>
  Array.isArray(result) &&
  (typeof total === "number" || (typeof hasNext === "boolean" && typeof lastCursor === "string"));

/** Requests any URL of the page's own origin that answers like the API. Throws what `request` throws. */
export async function fetchJson<Data>(
  url: string,
  isAnswer: (body: Record<string, unknown>) => boolean,
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
    if (timeout.aborted) throw new RequestError("TIMEOUT", `No answer within ${TIMEOUT_MS / 1000} seconds`);
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new RequestError("UNREACHABLE", `The server could not be reached (${said})`);
  }
  const requestId = response.headers.get("x-request-id") ?? "";
  const body = readJson(text);
  if (!response.ok) throw errorOf(response, body, requestId);
  if (!isAnswer(Object(body))) {
    throw new RequestError("UNREADABLE", "The answer is not what the API promises", {
      status: response.status,
      requestId,
    });
  }
  const { headers } = response;
  return { data: body as Data, tip: tipOf(headers), asOf: blockIn(headers, "block"), requestId };
}

function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // Not JSON: the caller reports the answer as unreadable, or by its status.
    return undefined;
  }
}

function errorOf(response: Response, body: unknown, requestId: string): RequestError {
  const { status } = response;
  const retryAfter = retryAfterOf(response.headers.get("retry-after"));
  if (!isErrorBody(body)) {
    const message = `The server answered with status ${status}`;
    return new RequestError("UNREADABLE", message, { status, requestId, retryAfter });
  }
  const { message, issues } = body;
  const code = issues.some((issue) => issue.code === "replaced") ? "LIST_REPLACED" : body.code;
  return new RequestError(code, message, { status, issues, requestId, retryAfter });
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null) return false;
  const { code, message, issues } = body as Partial<ErrorBody>;
  return typeof code === "string" && typeof message === "string" && Array.isArray(issues);
}

function retryAfterOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
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
  // `fetch` gives a header's bytes, of which the ellipsis has three.
  return {
    ...tip,
    ...(coverage && { coverage: coverage.replace("\u00e2\u0080\u00a6", "…") }),
  };
}
