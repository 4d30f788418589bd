import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { pageReader } from "#lib/api/authenticate.ts";
import type { HeaderOf } from "#lib/api/http-messages.ts";
import { getService } from "#lib/api/service.ts";
import { BASE_PATH } from "#lib/client/base-path.ts";
import { ownOrigin } from "#lib/server/origin.ts";
import type { AccessToken } from "#lib/store/rows.ts";

/** Who is signed in; null if no one is, or the token is no longer valid. */
export async function currentCaller(): Promise<AccessToken | null> {
  const check = await checkSession();
  return check?.ok ? check.caller : null;
}

/** What the session's token is worth; null if the request carries none. */
const checkSession = async () => pageReader(await pageHeader());

/** The version of the data that the request found, as `Store.accessTokenAndVersion` gives it. */
export async function dataVersion(): Promise<string | null> {
  const check = await checkSession();
  return check?.ok ? check.version : null;
}

/** The URL of this site as the page was requested; null if the request names no valid one. */
export async function pageBase(): Promise<URL | null> {
  const header = await pageHeader();
  const origin = ownOrigin(header, (await getService()).config);
  return origin && new URL(BASE_PATH, origin);
}

/** The URL of this site for sample programs, without a host that means something to a shell. */
export async function siteUrl(): Promise<string> {
  const { PUBLIC_URL } = (await getService()).config;
  if (PUBLIC_URL !== "") return PUBLIC_URL;
  const origin = (await pageBase())?.origin ?? "";
  return (/^[\w.:/[\]-]+$/.test(origin) ? origin : "http://127.0.0.1:3000") + BASE_PATH;
}

async function pageHeader(): Promise<HeaderOf> {
  const sent = await headers();
  return (name) => sent.get(name) ?? undefined;
}

/** `?a=1&b=2`, or `""`. */
export function searchText(search: Record<string, string | string[] | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value ?? []].flat()) parameters.append(name, one);
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/**
 * Who is signed in. Otherwise redirects to the sign-in page, which says why a session is over and leads back to `path`.
 */
export async function requireCaller(path: string): Promise<AccessToken> {
  const check = await checkSession();
  if (check?.ok) return check.caller;
  const why = check ? `&refused=${check.reason}` : "";
  redirect(`/sign-in?next=${encodeURIComponent(path)}${why}`);
}
