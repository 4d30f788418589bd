/**
 * A request and its answer as plain values. Creating web `Request` and `Response` objects costs more than a
 * query, so only `route.ts` does.
 */
export interface ApiRequest {
  method: string;
  /** The path's parameters, percent-decoded. */
  params: Record<string, string>;
  /** The part of the URL after `?`, as it was sent. */
  query: string;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
  /** Called with the id of the access token once it is known to be valid. */
  onCaller?(tokenId: string): void;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Pieces that are made while they are read, if it is not known in advance. */
  body: Buffer | string | AsyncIterable<string>;
}

/** Whether the body is there as a whole. */
export function isWhole(body: Reply["body"]): body is Buffer | string {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** The content security policy of a picture: it may load and run nothing, even when opened on its own. */
export const PICTURE_POLICY = "default-src 'none'; sandbox";
