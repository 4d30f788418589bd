import type { Reply } from "#lib/api/reply.ts";
import type { ApiError, ErrorCode } from "#lib/contract/errors.ts";

/** Without `retry`, the page leads home. */
const texts: Partial<Record<ErrorCode, { title: string; reason: string; retry?: true }>> = {
  NOT_FOUND: { title: "Page not found", reason: "There is no page at this address." },
  METHOD_NOT_ALLOWED: { title: "Method not allowed", reason: "This page can only be read." },
  TOO_MANY_REQUESTS: {
    title: "Request limit reached",
    reason: "This access token has used all the requests that it may make in a minute.",
    retry: true,
  },
  SERVICE_UNAVAILABLE: {
    title: "The server is busy",
    reason: "It cannot answer more requests at the moment.",
    retry: true,
  },
};

/** The colours of `app/globals.css`. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#fbfbfa, #111315); color: light-dark(#1b1d1f, #e6e8ea);
  font: 14px/20px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { max-width: 42rem; margin: 0 auto; padding: 48px 16px }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; font-weight: 600 }
section { padding: 12px 16px; border: 1px solid light-dark(#7a4f00, #e0b25c); border-radius: 6px;
  background: light-dark(#fbf1dc, #2a2215) }
p { margin: 0 0 8px }
a { color: light-dark(#1f5fa8, #7fb0e6) }
`;

/** A whole page that says why no page is shown. The framework's pages cannot set a status, so the server does it. */
export function refusalPage(error: ApiError, basePath: string): Reply {
  const { title, reason, retry } = texts[error.code] ?? {
    title: error.message,
    reason: "The page could not be made.",
    retry: true,
  };
  const home = `<a href="${basePath}/">Look up an address or a block</a>`;
  const seconds = error.headers["Retry-After"];
  const wait = seconds === undefined ? "" : ` in ${seconds} ${seconds === "1" ? "second" : "seconds"}`;
  const reload = `Try again${wait}: <a href="">reload this page</a>.`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Asset Query Service</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<section role="alert">
<p>${reason}</p>
<p>${retry ? reload : home}</p>
</section>
</main>
</body>
</html>
`;
  return {
    status: error.status,
    headers: {
      ...error.headers,
      "Cache-Control": "no-store",
      "Content-Type": "text/html; charset=utf-8",
    },
    body,
  };
}
