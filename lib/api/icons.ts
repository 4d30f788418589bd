/**
 * Icons of other hosts through our own origin, so that no reader's browser ever asks an issuer's host for one. Which
 * icon an asset has is the registry's word, and which hosts are asked is the operator's: a request chooses neither.
 */
import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { download, redraw } from "./icon-image.ts";
import { PICTURE_POLICY, type Reply } from "./reply.ts";
import { matches } from "./respond.ts";
import type { Service } from "./service.ts";

const MAX_AT_ONCE = 2;
const MAX_WAITING = 32;
/** Milliseconds after which one that still waits is not begun: a host that hangs must not hold up readers. */
const MAX_WAIT = 5_000;
const MAX_KEPT = 512;
const KEEP_PICTURE = 24 * 60 * 60_000;
const KEEP_FAILURE = 10 * 60_000;

/** Too many icons are being fetched; the same request may succeed in a moment. */
export class IconsBusyError extends Error {
  constructor() {
    super("Too many icons are being fetched");
    this.name = "IconsBusyError";
  }
}

export interface IconPicture {
  /** WebP. */
  body: Buffer;
  etag: string;
}

/** The URL of an icon that may be fetched, or why it may not. `hosts`: as in URLs, with a port only if not 443. */
export function fetchableUrl(
  icon: string,
  hosts: readonly string[],
): URL | { refused: string; host: string } {
  const url = URL.parse(icon);
  const refuse = (refused: string) => ({ refused, host: url?.host ?? "" });
  if (url?.protocol !== "https:") return refuse("not an https URL");
  if (url.username !== "" || url.password !== "") return refuse("the URL holds a user name or a password");
  if (!hosts.includes(url.host)) return refuse("the host is not one of ICON_HOSTS");
  return url;
}

export interface IconsOptions {
  /** Hosts that are asked for icons, compared whole. */
  hosts: readonly string[];
  log: Pick<Logger, "info" | "warn">;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** The picture at a URL, ready to be sent; by default fetched and drawn anew. */
  load?: (url: URL) => Promise<Buffer>;
}

/** Fetches each icon once for all readers, a few at a time, and keeps what came of it for a while. */
export class Icons {
  readonly #options: Required<IconsOptions>;
  /** Least recently used first; null: there is no picture to be had. */
  readonly #kept = new Map<string, { until: number; picture: IconPicture | null }>();
  readonly #underway = new Map<string, Promise<IconPicture | null>>();
  readonly #waiting: { since: number; begin: (busy?: IconsBusyError) => void }[] = [];
  readonly #refused = new Set<string>();
  #active = 0;

  constructor(options: IconsOptions) {
    this.#options = { load: async (url) => redraw(await download(url)), ...options };
  }

  /** The picture of an asset whose icon is `icon`; null where there is none to be had. Throws IconsBusyError. */
  async picture(assetId: string, icon: string): Promise<IconPicture | null> {
    const { hosts, now } = this.#options;
    const url = fetchableUrl(icon, hosts);
    if (!(url instanceof URL)) {
      this.#tellRefused(assetId, url);
      return null;
    }
    const key = `${assetId} ${url.href}`;
    const kept = this.#kept.get(key);
    if (kept && now() < kept.until) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.picture;
    }
    let work = this.#underway.get(key);
    if (!work) {
      work = this.#inTurn(() => this.#load(assetId, url, key)).finally(() => this.#underway.delete(key));
      this.#underway.set(key, work);
    }
    return work;
  }

  async #load(assetId: string, url: URL, key: string): Promise<IconPicture | null> {
    const { load, log, now } = this.#options;
    let picture: IconPicture | null = null;
    try {
      const body = await load(url);
      picture = { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
    } catch (error) {
      log.warn({ assetId, url: url.href, reason: reasonOf(error) }, "no icon could be had from its host");
    }
    this.#kept.delete(key);
    this.#kept.set(key, { until: now() + (picture ? KEEP_PICTURE : KEEP_FAILURE), picture });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return picture;
  }

  /** Runs `work` once fewer than two others run. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new IconsBusyError();
      // Whoever ends hands its place on, so it stays counted.
      await new Promise<void>((resolve, reject) => {
        const begin = (busy?: IconsBusyError) => (busy ? reject(busy) : resolve());
        this.#waiting.push({ since: this.#options.now(), begin });
      });
    } else {
      this.#active += 1;
    }
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #next(): void {
    const latest = this.#options.now() - MAX_WAIT;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (next.since >= latest) {
        next.begin();
        return;
      }
      next.begin(new IconsBusyError());
    }
    this.#active -= 1;
  }

  /** Once for each host and reason, because each reader asks for it again. */
  #tellRefused(assetId: string, { refused, host }: { refused: string; host: string }): void {
    const what = `${refused} ${host}`;
    if (this.#refused.has(what)) return;
    if (this.#refused.size >= MAX_KEPT) this.#refused.clear();
    this.#refused.add(what);
    this.#options.log.info({ assetId, host }, `icons like this one are not fetched: ${refused}`);
  }
}

/** What fails here is the host's or the network's doing: told in words, because a stack says nothing about either. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": PICTURE_POLICY,
};

function refusal(status: number, text: string, headers: Record<string, string>): Reply {
  return {
    status,
    headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8", ...headers },
    body: `${text}\n`,
  };
}

/** For who is not signed in: the same for every asset, so that it tells nothing of the registry. */
export const signInForIcons = (): Reply =>
  refusal(401, "Sign in to see icons.", { "Cache-Control": "no-store" });

/** `GET /asset-icons/{assetId}`. `ifNoneMatch`: the header's value, or null. */
export async function answerIcon(
  { store, log }: Pick<Service, "store" | "log">,
  icons: Icons,
  assetId: string,
  ifNoneMatch: string | null,
): Promise<Reply> {
  const icon = await store.iconOf(assetId);
  let picture: IconPicture | null = null;
  try {
    if (icon === null) log.debug({ assetId }, "the registry has no icon for this asset");
    else picture = await icons.picture(assetId, icon);
  } catch (error) {
    if (!(error instanceof IconsBusyError)) throw error;
    log.info({ assetId }, "too many icons are being fetched");
    return refusal(503, "Too many icons are being fetched.", {
      "Retry-After": "2",
      "Cache-Control": "no-store",
    });
  }
  if (!picture) {
    return refusal(404, "There is no icon of this asset to show.", {
      "Cache-Control": `private, max-age=${KEEP_FAILURE / 1000}`,
    });
  }
  const { body, etag } = picture;
  const headers = { ...HEADERS, ETag: etag, "Cache-Control": `private, max-age=${KEEP_PICTURE / 1000}` };
  if (matches(ifNoneMatch, etag)) return { status: 304, headers, body: "" };
  return {
    status: 200,
    headers: { ...headers, "Content-Type": "image/webp", "Content-Length": String(body.length) },
    body,
  };
}

let processIcons: Icons | undefined;

/** The process's icons: one memory and one limit for all readers. */
export function getIcons({ config, log, now }: Service): Icons {
  processIcons ??= new Icons({ hosts: config.ICON_HOSTS, log, now });
  return processIcons;
}
