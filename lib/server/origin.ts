import type { HeaderOf } from "#lib/api/http-messages.ts";
import type { Config } from "#lib/config.ts";

type HttpsSetting = Pick<Config, "SECURE_COOKIES">;

/** Whether the browser uses https. `dropForwarded` has removed untrusted headers. */
export function isHttps(header: HeaderOf, { SECURE_COOKIES }: HttpsSetting): boolean {
  return SECURE_COOKIES || /^\s*https\s*(,|$)/i.test(header("x-forwarded-proto") ?? "");
}

/** The origin to which the browser sent the request; null if its `Host` is missing or invalid. */
export function ownOrigin(header: HeaderOf, setting: HttpsSetting): URL | null {
  const host = header("host");
  const url = host && URL.parse(`${isHttps(header, setting) ? "https" : "http"}://${host}`);
  return url ? new URL(url.origin) : null;
}

/** Whether one of our own pages sent the request. Browsers send `Origin` with every POST and DELETE. */
export function isSameOrigin(header: HeaderOf, setting: HttpsSetting): boolean {
  const origin = URL.parse(header("origin") ?? "")?.origin;
  return origin !== undefined && origin === ownOrigin(header, setting)?.origin;
}
