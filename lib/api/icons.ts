import type { Config } from "#lib/config.ts";

/** What URLs of this server in the API's answers begin with: absolute if its public URL is known. */
export function publicBase({ PUBLIC_URL, BASE_PATH }: Pick<Config, "PUBLIC_URL" | "BASE_PATH">): string {
  return PUBLIC_URL || BASE_PATH;
}

/** An icon's URL as the API gives it, empty if there is no icon. `base`: see `publicBase`. */
export function iconUrl(path: string, base: string): string {
  return path === "" ? "" : base + path;
}
