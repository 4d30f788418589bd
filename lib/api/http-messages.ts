import { Readable } from "node:stream";

/** Reads a header by its lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

/** A request as plain values: a web `Request` would cost more than a query. */
export interface ApiRequest {
  method: string;
  /** The path's parameters, percent-decoded. */
  params: Record<string, string>;
  /** The part of the URL after `?`, as it was sent. */
  query: string;
  header: HeaderOf;
  /** The body, where one is taken; null if it is longer than it may be. */
  body?: Buffer | null;
  /** Called with the id of the access token once it is known to be valid. */
  onCaller?(tokenId: string): void;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  /** Values of `Set-Cookie`. */
  cookies?: string[];
  body: Buffer | string;
}

/** An answer that is made while it is read. Whoever does not read its body must destroy it. */
export interface StreamedResponse extends Omit<ApiResponse, "body"> {
  body: Readable;
}

export const isStreamed = (response: ApiResponse | StreamedResponse): response is StreamedResponse =>
  response.body instanceof Readable;

/** Text as a body, each piece made when the one before was taken. `Readable.from` would keep one more for each reader. */
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
