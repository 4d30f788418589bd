import { existsSync } from "node:fs";
import { z } from "zod";

const flag = z.enum(["0", "1", "true", "false", ""]).transform((value) => value === "1" || value === "true");
/** Hosts as URLs have them, with a port where it is not that of https: a wrong one would never match. */
const hosts = z
  .string()
  .default("")
  .transform((list) => list.split(",").map((host) => host.trim().toLowerCase()))
  .transform((list) => list.filter((host) => host !== ""))
  .refine(
    (list) => list.every((host) => URL.parse(`https://${host}`)?.host === host && !host.includes("*")),
    "Expected host names with commas between them, each with a port only where it is not 443",
  );
const count = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

/** Every setting, from the environment: the only reader of `process.env`. */
const schema = z.object({
  /** Where the data is: `sqlite:<file>` or `postgres://…`. */
  DATABASE_URL: z.string().default("sqlite:data/aqs.db"),
  /** A PostgreSQL replica of `DATABASE_URL` that the server's reads go to; none: they go to `DATABASE_URL`. */
  DATABASE_READ_URL: z.string().optional(),
  /** Most PostgreSQL connections of one process to one server for reading, and as many for writing. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).default(10),
  /** Milliseconds after which PostgreSQL gives up a read; 0: never. */
  DATABASE_STATEMENT_TIMEOUT_MS: count(10_000),
  /** The port and address `npm start` listens on. */
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  HOST: z.string().default("127.0.0.1"),
  /** Requests a minute for each access token; 0: no limit. */
  RATE_LIMIT_PER_MINUTE: count(0),
  /** API requests answered at once before new ones are turned away with 503. */
  MAX_CONCURRENT_REQUESTS: count(1000),
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  /** Mark the session cookie `Secure` even where the request does not show that it came over https. */
  SECURE_COOKIES: flag.default(false),
  /** Hosts that the server fetches the registry's icons from, over https: `icons.example,cdn.example:8443`. */
  ICON_HOSTS: hosts,
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
