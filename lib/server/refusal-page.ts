import type { ApiResponse } from "#lib/api/http-messages.ts";
import { SEARCH_PATH } from "#lib/client/detect.ts";
import { MAX_SEARCH_TEXT } from "#lib/client/search.ts";
import type { ApiError, ErrorCode } from "#lib/contract/errors.ts";

interface Refusal {
  title: string;
  reason: string;
  /** The page offers to reload; others have a search field. */
  retry?: true;
  signIn?: true;
}

const texts: Partial<Record<ErrorCode, Refusal>> = {
  NOT_FOUND: { title: "Page not found", reason: "There is no such page." },
  METHOD_NOT_ALLOWED: { title: "Method not allowed", reason: "This page can only be read." },
  TOO_MANY_REQUESTS: {
    title: "Rate limit reached",
    reason: "No more requests may be sent in this minute. Another access token has a limit of its own.",
    retry: true,
    signIn: true,
  },
  SERVICE_UNAVAILABLE: {
    title: "The server is busy",
    reason: "It cannot handle more requests at the moment.",
    retry: true,
  },
};

const SPREAD_SECONDS = 9;

/** The colours of `app/globals.css`, and the header of `components/Header.tsx`. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#ffffff, #0d0f11); color: light-dark(#14161a, #eceef0);
  font: 14px/20px Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
body { margin: 0 }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 12px; min-height: 56px; padding: 0 16px;
  border-bottom: 1px solid light-dark(#e9e9e6, #22272c); box-sizing: border-box }
header a { display: flex; align-items: center; gap: 10px; min-height: 44px; color: inherit; font-weight: 600;
  text-decoration: none }
search { flex: 1 1 280px; margin: 0 0 6px }
input { width: 100%; min-height: 44px; padding: 0 12px; border: 1px solid transparent; border-radius: 8px;
  background: light-dark(#f6f6f4, #171a1e); color: inherit; font: inherit; box-sizing: border-box }
@media (width >= 1024px) {
  header { display: grid; grid-template-columns: 1fr 560px 1fr; padding: 0 max(32px, 50% - 620px) }
  search { margin: 0 }
}
:focus-visible { outline: 2px solid light-dark(#0b7a5f, #3ecfa3); outline-offset: 2px }
main { max-width: 560px; margin: 0 auto; padding: 56px 16px }
h1 { margin: 0 0 8px; font-size: 32px; line-height: 40px; font-weight: 620; letter-spacing: -0.025em }
p { margin: 4px 0 8px }
.details { font: 13px/20px ui-monospace, monospace; overflow-wrap: anywhere; color: light-dark(#545961, #a3a9b1) }
a { color: light-dark(#0b7a5f, #3ecfa3) }
`;

/** Seconds after which the page reloads; undefined if it does not. They differ, so that not all pages come at once. */
function reloadIn({ headers }: ApiError): number | undefined {
  const least = headers["Retry-After"];
  return least === undefined ? undefined : Number(least) + 1 + Math.floor(Math.random() * SPREAD_SECONDS);
}

/** A page that explains a refusal. The server makes it, because the framework's pages cannot set a status. */
export function refusalPage(error: ApiError, basePath: string, requestId: string): ApiResponse {
  const { title, reason, retry, signIn }: Refusal = texts[error.code] ?? {
    title: error.message,
    reason: "The page could not be loaded.",
    retry: true,
  };
  const search = `<search><form action="${basePath}${SEARCH_PATH}">
<input type="search" name="q" maxlength="${MAX_SEARCH_TEXT}" autocomplete="off" spellcheck="false"
aria-label="Search" placeholder="Address, block or transaction">
</form></search>`;
  const seconds = reloadIn(error);
  const link = `<a href="">Reload this page</a>`;
  const reload =
    seconds === undefined
      ? `${link} to try again.`
      : `It reloads in ${seconds} seconds. ${link} to try at once.`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Asset Query Service</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<a href="${basePath}/"><img src="${basePath}/icon.svg" width="20" height="20" alt="">Asset Query Service</a>
${retry ? "" : search}
</header>
<main>
<h1>${title}</h1>
<section role="alert">
<p>${reason}</p>
${retry ? `<p>${reload}</p>` : ""}
${signIn ? `<p><a href="${basePath}/sign-in">Sign in with another token</a></p>` : ""}
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
      // A page that follows the newest block may have no reader in front of it.
      ...(seconds !== undefined && retry && { Refresh: String(seconds) }),
      "Cache-Control": "no-store",
      "Content-Type": "text/html; charset=utf-8",
    },
    body,
  };
}
