/** What anyone may read without a token: files, and what is made once. */

import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { CacheableResponse } from "#lib/api/response-cache.ts";
import { cacheable, pageResponse } from "#lib/api/responses.ts";
import { examples } from "#lib/chains/examples.ts";

export interface PublicFile {
  /** Response headers, by their lower-case names. */
  headers: Record<string, string>;
  /** Reads or makes it when it is first asked for. Rejects with an Error. */
  make(): Promise<string | Buffer>;
}

/** About the API, for the programs of any site. Caches must ask each time whether it has changed. */
const aboutApi = (type: string) => ({
  "content-type": type,
  "cache-control": "no-cache",
  "access-control-allow-origin": "*",
});

export const openApiFile: PublicFile = {
  headers: aboutApi("application/json"),
  async make() {
    const { openApiDocument } = await import("#lib/reference/openapi.ts");
    return JSON.stringify(openApiDocument(examples));
  },
};

export const llmsFile: PublicFile = {
  headers: aboutApi("text/plain; charset=utf-8"),
  make: async () => (await import("#lib/reference/llms.ts")).llmsText(),
};

const made = new WeakMap<PublicFile, Promise<CacheableResponse>>();

/** Answers with the file, which stays in memory from then on. */
export async function publicFile(
  file: PublicFile,
  request: Pick<ApiRequest, "header">,
): Promise<ApiResponse> {
  let answer = made.get(file);
  if (!answer) {
    answer = file.make().then((content) => cacheable(content, null, file.headers));
    made.set(file, answer);
  }
  return fileResponse(request, await answer, () => {});
}

/** Pictures are compressed in themselves, but for SVG. */
const PICTURE = /^image\/(?!svg)/;

/**
 * A 200 with these bytes and the answer's own headers, by their lower-case names, or a 304. `keep`: see `respond`.
 */
export async function fileResponse(
  { header }: Pick<ApiRequest, "header">,
  answer: CacheableResponse,
  keep?: () => void,
): Promise<ApiResponse> {
  const { "content-type": type = "", vary = "" } = answer.headers;
  const asked = (name: string) =>
    name === "accept-encoding" && PICTURE.test(type) ? undefined : header(name);
  const { status, headers, body } = await pageResponse({ header: asked }, answer, keep);
  const { ETag = "", "Content-Encoding": coding } = headers;
  return {
    status,
    headers: {
      "x-content-type-options": "nosniff",
      ...answer.headers,
      vary: [...new Set([...vary.split(/, */), "Accept-Encoding"])].filter(Boolean).join(", "),
      etag: ETag,
      ...(coding !== undefined && { "content-encoding": coding }),
    },
    body,
  };
}
