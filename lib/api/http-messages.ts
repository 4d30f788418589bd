import { Readable } from "node:stream";

/** Reads a header by its lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

/** A request as plain values. Creating a web `Request` would cost more than a query. */
export interface ApiRequest {
  method: string;
  /** The path's parameters, percent-decoded. */
  params: Record<string, string>;
  /** The part of the URL after `?`, as it was received. */
  query: string;
  header: HeaderOf;
  /** The body, for routes that take one; null if it is too long. */
  body?: Buffer | null;
  /** Called with the id of the access token once it is known to be valid. */
  onCaller?(tokenId: string): void;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: Buffer | string;
}

/** A response that is produced while it is read. A body that is not read must be destroyed. */
export interface StreamedResponse extends Omit<ApiResponse, "body"> {
  body: Readable;
}

export const isStreamed = (response: ApiResponse | StreamedResponse): response is StreamedResponse =>
  response.body instanceof Readable;

/** A body of text pieces, each produced once the one before was read. `Readable.from` would buffer one more per reader. */
export function readableText(pieces: AsyncIterator<string>): Readable {
  return new Readable({
    highWaterMark: 0,
    read() {
      pieces.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      void pieces.return?.();
      done(error);
    },
  });
}
