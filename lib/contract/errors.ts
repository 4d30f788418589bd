export const errorTable = {
  BAD_REQUEST: { status: 400, message: "Invalid input data" },
  UNAUTHORIZED: { status: 401, message: "Authorization not provided" },
  FORBIDDEN: { status: 403, message: "Insufficient access" },
  NOT_FOUND: { status: 404, message: "Not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  NOT_ACCEPTABLE: { status: 406, message: "Not acceptable" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many requests" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  SERVICE_UNAVAILABLE: { status: 503, message: "Service unavailable" },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The codes of issues and their meanings, except those about addresses and about signing in. */
export const issueCodes = {
  invalid_type: "the parameter is missing",
  invalid_format: "the text does not have the right form",
  invalid_value: "the text is not one of the allowed values",
  too_small: "the number is too low, or the list too short",
  too_big: "the number is too high, or the text or list too long",
  repeated: "a parameter that is not a list has several values",
  repeated_address: "two addresses of the list are the same",
  invalid_block: "the text does not name a block",
  invalid_out_point: "the index is too large, no indexed block has this output, or a cursor is also given",
  invalid_cursor: "the cursor belongs to other parameters, or was altered",
  range: "`from` is above `to`",
  replaced:
    "a block of the walk is no longer canonical; `message` names the height up to which nothing changed",
  not_kept: "the server does not keep this state; `message` names the earliest that it keeps",
  too_far: "too much changed since this block",
  not_acceptable: "`Accept` allows none of the operation's formats",
  invalid_token: "the token is unknown, revoked or expired",
  too_many_streams: "the token has too many streams open",
  malformed: "the request is not valid HTTP, or its head is too long",
} as const;
type SignInCode = "origin" | "invalid_body" | "body_too_long";
export type IssueCode = keyof typeof issueCodes | SignInCode | `address_${string}`;

/** One violated parameter, or one reason for a refusal. `path` is `["query" | "path", name]`, or empty. */
export interface Issue {
  path: string[];
  code: IssueCode;
  message: string;
  /** The height up to which nothing changed, if it is known; only for `replaced`. */
  height?: number;
}

/** An argument of zod's `refine` that gives the issue a code of its own. */
export const coded = (code: IssueCode, message: string) => ({ message, params: { code } });

export interface ErrorBody {
  code: ErrorCode;
  message: string;
  issues: Issue[];
}

/** Thrown to respond with this error. Check with `isApiError`: the framework's bundle has its own class. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[];
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, issues: Issue[] = [], headers: Record<string, string> = {}) {
    // Nobody reads the stack of a refusal, and an overloaded server creates thousands a second.
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

export function serverIsBusy(): ApiError {
  return new ApiError("SERVICE_UNAVAILABLE", [], { "Retry-After": "1" });
}

/** Returns the code of any error, or `""`. Classes do not tell errors apart: the framework's bundle has its own copy of each. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

export function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error &&
    Object.hasOwn(errorTable, codeOf(error)) &&
    "issues" in error &&
    "headers" in error
  );
}
