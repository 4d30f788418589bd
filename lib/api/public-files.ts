/** What programs may read about the API without a token. */
import examples from "#chain/examples.json" with { type: "json" };
import type { Answer } from "./answers.ts";
import type { ApiRequest, Reply } from "./reply.ts";
import { finish, respond } from "./respond.ts";

interface PublicFile {
  type: string;
  /** Made when it is first asked for: few servers are asked. */
  make(): Promise<string>;
}

const files = {
  "/openapi.json": {
    type: "application/json",
    async make() {
      const { openApiDocument } = await import("#lib/contract/openapi.ts");
      return JSON.stringify(openApiDocument(examples));
    },
  },
  "/llms.txt": {
    type: "text/plain; charset=utf-8",
    async make() {
      const { llmsText } = await import("#lib/contract/llms.ts");
      return llmsText();
    },
  },
} as const satisfies Record<string, PublicFile>;

export type PublicPath = keyof typeof files;
export const isPublicPath = (path: string): path is PublicPath => Object.hasOwn(files, path);

const made = new Map<PublicPath, Promise<Answer>>();

function answerOf(path: PublicPath): Promise<Answer> {
  let answer = made.get(path);
  if (!answer) {
    answer = files[path].make().then((text) => finish(text, null));
    made.set(path, answer);
  }
  return answer;
}

/** Caches may keep the file, and must ask each time whether it has changed. */
export async function publicFile(
  path: PublicPath,
  { method, header }: Pick<ApiRequest, "method" | "header">,
): Promise<Reply> {
  const { status, headers, body } = await respond({ header }, await answerOf(path), () => {});
  Object.assign(headers, {
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
  });
  if (status === 200) {
    headers["Content-Type"] = files[path].type;
    headers["Content-Length"] = String(body.length);
  }
  return { status, headers, body: method === "HEAD" ? "" : body };
}
