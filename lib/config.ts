import { existsSync } from "node:fs";
import { z } from "zod";

const flag = z.enum(["0", "1", "true", "false", ""]).transform((value) => value === "1" || value === "true");
/** An http or https URL without query, fragment and credentials, in normal form and without a slash at its end. */
const baseUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isBase =
    url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username === "" && url.password === "";
  if (isBase) return url.href.replace(/\/+$/, "");
  const message = "Expected an http or https URL without query and password, such as https://assets.example";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});
const count = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

/** Every setting, from the environment: the only reader of `process.env`. */
const schema = z.object({
  /** Where the data is: `sqlite:<file>` or `postgres://…`. */
  DATABASE_URL: z.string().default("sqlite:data/aqs.db"),
  /** A PostgreSQL replica of `DATABASE_URL` that the server's reads go to; none: they go to `DATABASE_URL`. */
  DATABASE_READ_URL: z.string().optional(),
  /**
   * Most PostgreSQL connections of one process to one server for reading, and as many for writing. So many requests
   * of the API are in work at once.
   */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).default(10),
  /** Milliseconds after which PostgreSQL gives up a read; 0: never. */
  DATABASE_STATEMENT_TIMEOUT_MS: count(10_000),
  /** The port and address `npm start` listens on. */
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  HOST: z.string().default("127.0.0.1"),
  /** Requests per minute for each access token, page views included; 0: no limit. */
  RATE_LIMIT_PER_MINUTE: count(0),
  /** Connections at once; the server closes further ones. */
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(2048),
  /** Requests whose answers are not flushed yet; the server refuses more with 503. */
  MAX_CONCURRENT_REQUESTS: count(1000),
  /** Pages and share images rendered at once; the server refuses more with 503. */
  MAX_CONCURRENT_PAGES: count(16),
  /** Memory for finished answers of the API, in MB of 2^20 bytes; 0: none are kept. */
  CACHE_MB: count(64),
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  /** Readers always use https, even if the request does not show it in `X-Forwarded-Proto`. */
  SECURE_COOKIES: flag.default(false),
  /** Where readers reach this server, for URLs in the API's answers; "" leaves them relative. */
  PUBLIC_URL: baseUrl.default(""),
});

export type Config = z.infer<typeof schema>;

/**
 * Reads the settings; throws one error that names every wrong one. Empty values count as unset, and a file
 * `.env` in the working folder gives what the environment does not.
 */
export function readConfig(env: Record<string, string | undefined> = environment()): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`Wrong settings in the environment: ${faults.join("; ")}`);
}

/** The settings of a database server. Only who reads alone may read from a replica. */
export function storeOptions(config: Config, { readOnly = false } = {}) {
  return {
    readUrl: readOnly ? config.DATABASE_READ_URL : undefined,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
  };
}

function environment(): Record<string, string | undefined> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

/** A `DATABASE_URL` for logs: the file, or the host and the name of the database. The rest may hold a password. */
export function databaseName(url: string): string {
  if (url.startsWith("sqlite:")) return url.replace(/\?.*$/s, "");
  const parsed = URL.parse(url);
  if (!parsed) return "a URL that cannot be read";
  const { protocol, host, pathname } = parsed;
  // An "@" or ":" after the host: the password has an unencoded slash.
  return /[@:]/.test(pathname) ? `${protocol}//…` : `${protocol}//${host}${pathname}`;
}
