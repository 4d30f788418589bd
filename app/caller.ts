import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { pageReader } from "#lib/api/authenticate.ts";
import type { HeaderOf } from "#lib/api/http-messages.ts";
import { getService } from "#lib/api/service.ts";
import { BASE_PATH } from "#lib/client/base-path.ts";
import { ownOrigin } from "#lib/server/origin.ts";
import type { AccessToken } from "#lib/store/rows.ts";

/** The signed-in caller, or the guest; null without a valid session. */
export async function currentCaller(): Promise<AccessToken | null> {
  const check = await checkSession();
  return check?.ok ? check.caller : null;
}

/** Whether the reader has no session, and the server has a guest. */
export const isGuest = async (): Promise<boolean> => (await checkSession())?.isGuest === true;

/** Checks the token of the session; null if the request has none. */
const checkSession = async () => pageReader(await pageHeader());

/** The version of the data, from `Store.accessTokenAndVersion`; null if it has none, or without a valid session. */
export async function dataVersion(): Promise<string | null> {
  const check = await checkSession();
  return check?.ok ? check.version : null;
}

/** The URL of this site that the page was requested at; null if the request names no valid one. */
export async function pageBase(): Promise<URL | null> {
  const header = await pageHeader();
  const origin = ownOrigin(header, (await getService()).config);
  return origin && new URL(BASE_PATH, origin);
}

/** The URL of this site for sample programs and printouts. A host with characters that a shell interprets is replaced. */
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

/** The signed-in caller. Others are redirected to the sign-in page, which gives the reason and returns to `path`. */
export async function requireCaller(path: string): Promise<AccessToken> {
  const check = await checkSession();
  if (check?.ok) return check.caller;
  const why = check ? `&refused=${check.reason}` : "";
  redirect(`/sign-in?next=${encodeURIComponent(path)}${why}`);
}
