import type { ErrorCode } from "#lib/contract/errors.ts";
import type { HeaderName } from "#lib/contract/headers.ts";
import type { OperationName } from "#lib/queries/list.ts";

/**
 * Requests and the real answers to them, for OpenAPI. They are the served chain's. The tests
 * `examples.test.ts` and `examples.slow.test.ts` take them, and fail once an answer differs.
 */
export interface ApiExamples {
  /** By operation: a value for each parameter, and an answer. */
  operations: {
    [Name in OperationName]: {
      parameters: Record<string, unknown>;
      answer: object;
      /** The answer as NDJSON, if it can be had so. */
      lines?: string;
    };
  };
  events: { parameters: Record<"address" | "Last-Event-ID", unknown>; answer: string };
  errors: Record<ErrorCode, object>;
  /** The answer with 431 to a request whose head is too long. */
  headTooLong: object;
  headers: { [Name in HeaderName]?: string };
}
