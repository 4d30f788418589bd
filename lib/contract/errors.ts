/** Every error that the API can answer with: its stable code, HTTP status and message. */
export const errorTable = {
  BAD_REQUEST: { status: 400, message: "Invalid input data" },
  UNAUTHORIZED: { status: 401, message: "Authorization not provided" },
  FORBIDDEN: { status: 403, message: "Insufficient access" },
  NOT_FOUND: { status: 404, message: "Not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many requests" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  SERVICE_UNAVAILABLE: { status: 503, message: "Service unavailable" },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** One violated parameter, or one reason for a refusal. `path` is `["query" | "path", name]`, or empty. */
export interface Issue {
  path: string[];
  code: string;
  message: string;
  /** Only of `replaced`: the height up to which nothing changed, if that is known. */
  height?: number;
}

/** The body of every error under `/v0`. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  issues: Issue[];
}

/**
 * Thrown while a request is handled, to answer with one of the table's errors. Recognise it with `isApiError`: one
 * process may load this file twice, in the server and in the framework's bundle.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[];
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, issues: Issue[] = [], headers: Record<string, string> = {}) {
    // It is an answer, not a fault: nobody reads where it was made, and an overloaded server makes thousands a second.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(errorTable[code].message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, issues: this.issues };
  }
}

/** The server cannot take the request on now, and may a second later. */
export function serverIsBusy(): ApiError {
  return new ApiError("SERVICE_UNAVAILABLE", [], { "Retry-After": "1" });
}

export function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    Object.hasOwn(errorTable, error.code) &&
    "issues" in error &&
    "headers" in error
  );
}
