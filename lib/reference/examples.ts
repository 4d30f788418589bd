import type { ErrorCode } from "#lib/contract/errors.ts";
import type { HeaderName } from "#lib/contract/headers.ts";
import type { OperationName } from "#lib/queries/operations.ts";

/** Requests and real responses for OpenAPI. `examples.test.ts` and `examples.slow.test.ts` record and check them. */
export interface ApiExamples {
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
  headTooLong: object;
  headers: { [Name in HeaderName]?: string };
}
