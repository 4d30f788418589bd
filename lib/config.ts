import { existsSync, readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { parseEnv } from "node:util";
import { z } from "zod";
import { CHAINS } from "#lib/chains/names.ts";

const flag = z.enum(["0", "1", "true", "false", ""]).transform((value) => value === "1" || value === "true");
function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** An http or https URL without query, fragment and credentials, in normal form without a trailing slash. */
export const baseUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isBase =
    url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username === "" && url.password === "";
  if (isBase) return url.href.replace(/\/+$/, "");
  return refuse(
    context,
    "Expected an http or https URL without query and password, such as https://assets.example",
  );
});
const items = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== "");

/** Origins as browsers send them: scheme, host and port in normal form. */
const origins = z.string().transform((text, context): readonly string[] =>
  items(text).map((item) => {
    const url = URL.parse(item);
    if (url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(item))
      return url.origin;
    return refuse(
      context,
      `Expected origins such as https://app.example, separated by commas, instead of ${item}`,
    );
  }),
);

const PROXY_WORDS: Record<string, string[]> = {
  none: [],
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};
const addresses = z.string().transform((text, context): BlockList => {
  const list = new BlockList();
  for (const item of items(text).flatMap((word) => PROXY_WORDS[word] ?? word)) {
    const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
    const version = isIP(address);
    const longest = version === 6 ? 128 : 32;
    const prefix = Number(bits ?? longest);
    if (version !== 0 && prefix <= longest) list.addSubnet(address, prefix, version === 6 ? "ipv6" : "ipv4");
    else {
      const words = Object.keys(PROXY_WORDS).join(", ");
      refuse(context, `Expected addresses, ranges such as 10.0.0.0/8, or ${words}, instead of ${item}`);
    }
  }
  return list;
});

/** A path without a trailing slash; "" and "/" mean none. */
const basePath = z
  .string()
  .transform((text) => text.replace(/\/$/, ""))
  .refine(
    (path) => /^(\/[\w~-][\w.~-]*)*$/.test(path),
    "Expected a path of letters, digits and _ . ~ - such as /assets",
  );

/** Timers and PostgreSQL take no larger numbers. */
const MAX_NUMBER = 2 ** 31 - 1;
const whole = (least: number, most = MAX_NUMBER) =>
  z.string().transform((text, context) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    const isGood = number >= least && number <= most;
    return isGood ? number : refuse(context, `Expected a whole number from ${least} to ${most}`);
  });
const count = (fallback: number) => whole(0).default(fallback);
const port = whole(0, 65535);

/** Every setting. Only this file reads `process.env`. */
const settings = z.object({
  CHAIN: z.enum(CHAINS).default(CHAINS[0]),
  /** The database: `sqlite:<file>` or `postgres://…`. */
  DATABASE_URL: z.string().default("sqlite:data/aqs.db"),
  /** A PostgreSQL replica of `DATABASE_URL` for the server's reads. Without it, they go to `DATABASE_URL`. */
  DATABASE_READ_URL: z.string().optional(),
  /** A process's PostgreSQL connections for reading, and as many for writing. It also limits how many requests run at once. */
  DATABASE_POOL_SIZE: whole(1).default(10),
  /** Milliseconds after which PostgreSQL cancels a read; 0: never. */
  DATABASE_STATEMENT_TIMEOUT_MS: count(10_000),
  /** The port and address `npm start` listens on. */
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  /** Processes that serve the port. `npm start` starts and supervises them. */
  WEB_CONCURRENCY: whole(1, 256).default(1),
  /** Requests per minute for each access token without a rate of its own, page views included; 0: no limit. */
  RATE_LIMIT_PER_MINUTE: count(0),
  /** Connections at once. A further one replaces an idle one. */
  MAX_CONNECTIONS: whole(1).default(2048),
  /** Requests whose responses are not flushed yet. The server refuses more with 503. */
  MAX_CONCURRENT_REQUESTS: count(1000),
  /** Pages and share images rendered at once. The others wait. */
  MAX_CONCURRENT_PAGES: whole(1).default(2),
  /** MB (2^20 bytes) of the API's response cache, and as many for SQLite's pages in each of the two threads; 0: no response cache. */
  CACHE_MB: count(32),
  /** Age of the tip's block in seconds beyond which the server is not ready; 0: any. */
  MAX_TIP_AGE: count(0),
  /** Lag of the replica in seconds beyond which the server is not ready; 0: any. */
  MAX_REPLICA_LAG: count(0),
  /** Seconds from SIGTERM until the server cuts the connections that are still open. */
  SHUTDOWN_SECONDS: whole(0, 86_400).default(10),
  /** Streams of events and of whole lists that are open at once, in this process and for each access token. */
  MAX_EVENT_STREAMS: count(1000),
  MAX_EVENT_STREAMS_PER_TOKEN: count(100),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  /** The share of successful requests that are logged, from 0 to 1. Failed ones are always logged. */
  LOG_SAMPLE: z.coerce.number().min(0).max(1).default(1),
  /** The ports of `GET /metrics` of the server and of `sync`, on HOST. Without them there are no metrics. */
  METRICS_PORT: port.optional(),
  SYNC_METRICS_PORT: port.optional(),
  /** Whether readers always use https, even without `X-Forwarded-Proto`. */
  SECURE_COOKIES: flag.default(false),
  /** The public URL of this server, for URLs in the API's responses; "" leaves them relative. */
  PUBLIC_URL: baseUrl.default(""),
  /** The URL of the node that `aqs` reads, unless a command has `--rpc` or `--rpc-file`. */
  RPC_URL: z.string().optional(),
  AQS_TOKEN: z.string().optional(),
  /** The access token with which the dashboard serves readers who are not signed in. Without it, they must sign in. */
  GUEST_TOKEN: z.string().optional(),
  /** The path below which pages and API are served; "": at the root. `npm run build` reads it, too. */
  BASE_PATH: basePath.default(""),
  /** Proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` count, by their addresses. */
  TRUST_PROXY: addresses.prefault("loopback"),
  /** Origins whose pages may read the API's responses. */
  CORS_ORIGINS: origins.default([]),
});

const schema = settings
  .refine(
    ({ BASE_PATH, PUBLIC_URL }) =>
      BASE_PATH === "" || PUBLIC_URL === "" || new URL(PUBLIC_URL).pathname === BASE_PATH,
    { path: ["PUBLIC_URL"], error: "Expected a URL whose path is BASE_PATH" },
  )
  .refine(
    ({ DATABASE_URL, DATABASE_READ_URL }) => !DATABASE_READ_URL || !DATABASE_URL.startsWith("sqlite:"),
    {
      path: ["DATABASE_READ_URL"],
      error: "A replica is for PostgreSQL, but DATABASE_URL names a SQLite file",
    },
  );

export type Config = z.infer<typeof schema>;

type Variables = Record<string, string | undefined>;

/**
 * Reads the settings from the environment, and the missing ones from `.env` in the working folder. Empty values and
 * spaces count as unset. Throws one error that names every wrong or unknown setting. The environment has variables of other
 * programs, so a name there is unknown only if it resembles that of a setting.
 */
export function readConfig(
  env: Variables = process.env,
  file: Variables = env === process.env ? settingsFile() : {},
): Config {
  const given = Object.fromEntries(
    Object.entries({ ...file, ...env }).flatMap(([name, value]) => {
      const text = value?.trim() ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
  const unknown = Object.keys(given).flatMap((name) => {
    if (Object.hasOwn(settings.shape, name)) return [];
    const meant = Object.keys(settings.shape).find((setting) => isNearly(name, setting));
    if (meant !== undefined) return [`${name}: there is no such setting. Did you mean ${meant}?`];
    const isOurs = Object.hasOwn(file, name) && !OTHERS.test(name);
    return isOurs ? [`${name}: there is no such setting (in .env)`] : [];
  });
  const parsed = schema.safeParse(given);
  const wrong = parsed.error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
  if (parsed.success && unknown.length === 0) return parsed.data;
  throw new Error(`Wrong settings in the environment: ${[...wrong, ...unknown].join("; ")}`);
}

/** Reads a variable of the environment, without `.env`; "" if unset. */
export const given = (name: string): string => process.env[name] ?? "";

/** Changes the environment of this process and of those that it starts. */
export function setGiven(variables: Record<string, string>): void {
  Object.assign(process.env, variables);
}

/** Names that Node, the framework and PostgreSQL's client may read from `.env` themselves. */
const OTHERS = /^(NODE_|NEXT_|PG)/;
/** Shorter names resemble too many others, such as POST and HOSTS. */
const SHORTEST_NEAR = 8;

/** Whether `name` is a likely typo of the setting: they differ by case, underscores and at most one character. */
function isNearly(name: string, setting: string): boolean {
  if (setting.length < SHORTEST_NEAR) return false;
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z\d]/g, "");
  let [a, b] = [letters(name), letters(setting)];
  while (a !== "" && a[0] === b[0]) [a, b] = [a.slice(1), b.slice(1)];
  // One character is added, missing or different, or two are swapped.
  return (
    a === b ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a.slice(2) === b.slice(2) && a[0] === b[1] && a[1] === b[0])
  );
}

/** The settings of a database server. Only a process that does not write may read from a replica. */
export function storeOptions(config: Config, { readOnly = false } = {}) {
  return {
    readUrl: readOnly ? config.DATABASE_READ_URL : undefined,
    cacheMb: readOnly ? config.CACHE_MB : undefined,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
  };
}

function settingsFile(): Variables {
  if (!existsSync(".env")) return {};
  process.loadEnvFile(".env");
  return parseEnv(readFileSync(".env", "utf8"));
}

/** A `DATABASE_URL` for logs: the file, or the host and the name of the database. The rest may contain a password. */
export function databaseName(url: string): string {
  if (url.startsWith("sqlite:")) return url.replace(/\?.*$/s, "");
  const parsed = URL.parse(url);
  if (!parsed) return "a URL that cannot be read";
  const { protocol, host, pathname } = parsed;
  // An "@" or ":" after the host means that the password has an unencoded slash.
  return /[@:]/.test(pathname) ? `${protocol}//…` : `${protocol}//${host}${pathname}`;
}
