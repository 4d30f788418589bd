/** Files that anyone may read without a token. Some are generated. */
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { CacheableResponse } from "#lib/api/response-cache.ts";
import { cacheable, pageResponse } from "#lib/api/responses.ts";
import { examples } from "#lib/chains/examples.ts";

export interface PublicFile {
  headers: Record<string, string>;
  /** Reads or generates the content at the first request. Rejects with an Error. */
  make(): Promise<string | Buffer>;
}

/** Headers of files about the API, for programs of any site. Caches must revalidate them each time. */
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

const cache = new WeakMap<PublicFile, Promise<CacheableResponse>>();

/** Responds with the file, which stays in memory from then on. */
export async function publicFile(
  file: PublicFile,
  request: Pick<ApiRequest, "header">,
): Promise<ApiResponse> {
  let page = cache.get(file);
  if (!page) {
    page = file.make().then((content) => cacheable(content, null, file.headers));
    cache.set(file, page);
    // The next request tries again.
    page.catch(() => cache.delete(file));
  }
  return fileResponse(request, await page, () => {});
}

/** Types of pictures, which are compressed already, except SVG. */
const PICTURE = /^image\/(?!svg)/;

/** A 200 with the page and its own headers, which have lower-case names, or a 304. `onCompressed`: see `pageResponse`. */
export async function fileResponse(
  { header }: Pick<ApiRequest, "header">,
  page: CacheableResponse,
  onCompressed?: () => void,
): Promise<ApiResponse> {
  const { "content-type": type = "", vary = "" } = page.headers;
  const headerFor = (name: string) =>
    name === "accept-encoding" && PICTURE.test(type) ? undefined : header(name);
  const isFile = onCompressed !== undefined;
  const { status, headers, body } = await pageResponse({ header: headerFor }, page, onCompressed, isFile);
  const { ETag = "", "Content-Encoding": coding } = headers;
  return {
    status,
    headers: {
      "x-content-type-options": "nosniff",
      ...page.headers,
      vary: [...new Set([...vary.split(/, */), "Accept-Encoding"])].filter(Boolean).join(", "),
      etag: ETag,
      ...(coding !== undefined && { "content-encoding": coding }),
    },
    body,
  };
}
