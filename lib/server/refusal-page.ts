import type { Reply } from "#lib/api/reply.ts";
import type { ApiError, ErrorCode } from "#lib/contract/errors.ts";

/** Without `retry`, the page leads home. */
const texts: Partial<Record<ErrorCode, { title: string; reason: string; retry?: true }>> = {
  NOT_FOUND: { title: "Page not found", reason: "There is no such page." },
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
:root { color-scheme: light dark; background: light-dark(#ffffff, #0d0f11); color: light-dark(#14161a, #eceef0);
  font: 14px/20px Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
header { padding: 18px 16px }
header a { color: inherit; font-weight: 600; text-decoration: none }
main { max-width: 560px; margin: 0 auto; padding: 56px 16px }
h1 { margin: 0 0 8px; font-size: 32px; line-height: 40px; font-weight: 620; letter-spacing: -0.025em }
p { margin: 4px 0 8px }
.details { font: 13px/20px ui-monospace, monospace; overflow-wrap: anywhere; color: light-dark(#545961, #a3a9b1) }
a { color: light-dark(#0b7a5f, #3ecfa3) }
`;

/** A whole page that says why no page is shown. The framework's pages cannot set a status, so the server does it. */
export function refusalPage(error: ApiError, basePath: string, requestId: string): Reply {
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
<header><a href="${basePath}/">Asset Query Service</a></header>
<main>
<h1>${title}</h1>
<section role="alert">
<p>${reason}</p>
<p>${retry ? reload : home}</p>
<p class="details">${error.code} · ${new Date().toISOString()} · request ${requestId}</p>
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
