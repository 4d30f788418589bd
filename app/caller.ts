import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { type Caller, callerOfCookie, SESSION_COOKIE } from "#lib/api/session.ts";

/** Who is signed in, read once a request; null for no one. */
export const currentCaller = cache(async (): Promise<Caller | null> => {
  const cookie = (await cookies()).get(SESSION_COOKIE)?.value;
  return callerOfCookie(cookie);
});

/** The origin that the page was asked at; null where the request names none that can be. */
export async function ownOrigin(): Promise<URL | null> {
  const sent = await headers();
  const scheme = sent.get("x-forwarded-proto")?.split(",")[0] === "https" ? "https" : "http";
  const url = `${scheme}://${sent.get("host")}`;
  return URL.canParse(url) ? new URL(new URL(url).origin) : null;
}

/** A part of a page's path as text. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray `%`: it names nothing, which the page says.
    return part;
  }
}

export type Search = Record<string, string | string[] | undefined>;

/** The query of a page as text: `?a=1&b=2`, or `""`. */
export function searchText(search: Search): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value ?? []].flat()) parameters.append(name, one);
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** The reader of a page. No one signed in: goes to the sign-in page, and back to `path` from there. */
export async function requireCaller(path: string): Promise<Caller> {
  const caller = await currentCaller();
  if (!caller) redirect(`/sign-in?next=${encodeURIComponent(path)}`);
  return caller;
}
