import type { ErrorCode } from "#lib/contract/errors.ts";
import type { HeaderName } from "#lib/contract/headers.ts";
import type { OperationName } from "#lib/queries/list.ts";

/**
 * Requests to the served chain and the real responses, for OpenAPI. The tests `examples.test.ts` and `examples.slow.test.ts`
 * record them, and fail once a response differs.
 */
export interface ApiExamples {
  /** A value for each parameter, and a response, by operation. */
  operations: {
    [Name in OperationName]: {
      parameters: Record<string, unknown>;
      answer: object;
      /** The response as NDJSON, if the operation supports it. */
      lines?: string;
    };
  };
  events: { parameters: Record<"address" | "Last-Event-ID", unknown>; answer: string };
  errors: Record<ErrorCode, object>;
  /** The 431 response to a request whose head is too long. */
  headTooLong: object;
  headers: { [Name in HeaderName]?: string };
}
