/**
 * The servers that `npm run bench -- api` compares, each in a process of its own: ours, a bare `node:http` server that
 * sends a constant body, one that only writes an object as JSON, and a plain Fastify service over the same database.
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import fastify from "fastify";
import pg from "pg";
import { sqliteFile } from "#lib/store/open.ts";
import { residentKb } from "#lib/testing/attacks/drill.ts";
import { allocation, nodeFlags } from "#lib/testing/node-flags.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { freePort } from "#lib/util/free-port.ts";

export type ServerKind = "ours" | "bare" | "stringify" | "fastify";

export interface RunningServer {
  origin: string;
  /** Processor time so far of all its processes, in microseconds. */
  cpu(): number;
  /** Resident memory of all its processes, in MB. */
  memory(): number;
  /** Profiles until the returned function is called, and writes the profile to this file. */
  profile(file: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Microseconds: Linux counts processor time in hundredths of a second. */
const TICK = 10_000;

/** The process and those that it started. */
const familyOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number),
];

function cpuOf(pid: number): number {
  // proc(5): the name, which may contain spaces, is in parentheses; utime and stime are the 14th and 15th field.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

/** Starts a server in a process of its own, with the flags of `npm start`. */
export async function startServer(
  kind: ServerKind,
  settings: Record<string, string>,
): Promise<RunningServer> {
  const child = fork(fileURLToPath(import.meta.url), [kind], {
    execArgv: nodeFlags("start"),
    env: {
      ...process.env,
      NODE_ENV: "production",
      ...allocation("start"),
      LOG_LEVEL: "warn",
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      ...settings,
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`The ${kind} server ended`);
  });
  ended.catch(() => {});
  /** The next message of the process. */
  const said = async () => (await Promise.race([once(child, "message"), ended]))[0];
  return {
    origin: `http://127.0.0.1:${await said()}`,
    cpu: () => sum(familyOf(child.pid!).map(cpuOf)),
    memory: () => Math.round(sum(familyOf(child.pid!).map((pid) => residentKb(pid, "VmRSS"))) / 1024),
    async profile(file) {
      child.send("start");
      await said();
      return async () => {
        child.send(file);
        await said();
      };
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

// --- in the server's process -----------------------------------------------------------------------------

/** The message `start` starts a profile. A file name ends and writes it. */
function profileOnRequest(): void {
  const session = new Session();
  session.connect();
  process.on("message", async (message: string) => {
    if (message === "start") {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
    } else {
      const { profile } = await session.post("Profiler.stop");
      writeFileSync(message, JSON.stringify(profile));
    }
    process.send!("done");
  });
}

/** Starts the number of processes in `WEB_CONCURRENCY`. */
async function serveOurs(): Promise<number> {
  await import("#lib/testing/api-server.ts");
  return Number(process.env.PORT);
}

/** `GET /66000` is a body of that size, from memory. */
async function serveBare(): Promise<number> {
  const bodies = new Map<string, Buffer>();
  const server = createHttpServer((request, response) => {
    const path = request.url!;
    let body = bodies.get(path);
    if (!body) {
      body = Buffer.alloc(Number(path.slice(1)), "a");
      bodies.set(path, body);
    }
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** `PUT /page` stores a page. `GET` sends it, and calls `JSON.stringify` each time. */
async function serveStringify(): Promise<number> {
  let page: unknown;
  const server = createHttpServer(async (request, response) => {
    if (request.method === "PUT") {
      page = await json(request);
      response.writeHead(204).end();
      return;
    }
    const body = Buffer.from(JSON.stringify(page));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/**
 * A service that takes an afternoon to write: the token, one keyset query with joins, and Fastify's serialiser. It parses
 * no addresses, checks and signs no cursors, and has no ETag, tip or limits. The token may have expired, the block be
 * unknown, and `amountUsd` is a double.
 */
async function serveFastify(url: string): Promise<number> {
  const file = sqliteFile(url);
  const query = file === undefined ? askPostgres(url) : askSqlite(file);
  const { TOKEN, UTXOS, CHANGES } = file === undefined ? POSTGRES : SQLITE;
  const app = fastify();
  app.addHook("onRequest", async (request, reply) => {
    const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
    const [record] = await query(TOKEN, [createHash("sha256").update(token).digest()]);
    if (record) return;
    reply.code(401).send({ code: "UNAUTHORIZED" });
  });
  const text = { type: "string" };
  const number = { type: "number" };
  const asset = { id: text, name: text, icon: text, symbol: text, decimals: number };
  const listOf = (properties: object, rest: object) => ({
    schema: {
      response: {
        200: {
          type: "object",
          properties: { result: { type: "array", items: { type: "object", properties } }, ...rest },
        },
      },
    },
  });
  const object = (properties: object) => ({ type: "object", properties });
  const tokenInfo = object({
    layer: number,
    parentId: text,
    totalSupply: text,
    description: text,
    public: { type: "boolean" },
    firstFoundBlock: text,
    firstMintAt: text,
    keywords: text,
    ...asset,
  });
  app.get<{ Params: { key: string }; Querystring: { after?: string; pageSize?: string } }>(
    "/addresses/:key/utxos",
    listOf(
      { token: text, tokenInfo, blockHeight: number, outPoint: text, amount: text, capacity: text },
      { hasNext: { type: "boolean" }, lastCursor: text },
    ),
    async ({ params, query: { after = "-1.-1", pageSize = "100" } }) => {
      const limit = Number(pageSize);
      const [id, index] = after.split(".").map(Number);
      const rows = await query(UTXOS, [Buffer.from(params.key.slice(2), "hex"), id!, index!, limit + 1]);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        result: shown.map((row) => ({
          token: row.id,
          tokenInfo: { ...row, public: row.public === 1 || row.public === true },
          blockHeight: row.blockHeight,
          outPoint: row.outPoint,
          amount: row.amount,
          capacity: row.capacity,
        })),
        hasNext: rows.length > limit,
        lastCursor: last ? `${last.place}.${last.output}` : after,
      };
    },
  );
  app.get<{ Params: { hash: string }; Querystring: { page?: string; pageSize?: string } }>(
    "/blocks/:hash/changes",
    listOf(
      {
        amount: { type: "integer" },
        amountUsd: number,
        asset: object(asset),
        tags: { type: "array", items: text },
        amountExact: text,
        amountUsdExact: text,
      },
      { total: number },
    ),
    async ({ params, query: { page = "1", pageSize = "10" } }) => {
      const limit = Number(pageSize);
      const hash = Buffer.from(params.hash.slice(2), "hex");
      const rows = await query(CHANGES, [hash, limit, (Number(page) - 1) * limit]);
      return {
        result: rows.map((row) => ({
          amount: BigInt(row.amount as string),
          amountUsd: Number(row.usd) / 1e8,
          asset: row,
          tags: typeof row.tags === "string" ? JSON.parse(row.tags) : row.tags,
          amountExact: row.amount,
          amountUsdExact: toUnits(row.usd as string, USD_DECIMALS),
        })),
        total: rows[0]?.total ?? 0,
      };
    },
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

type PlainRow = Record<string, string | number | boolean | null>;
type PlainQuery = (sql: string, values: (Buffer | number)[]) => PlainRow[] | Promise<PlainRow[]>;

function askSqlite(file: string): PlainQuery {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec("PRAGMA cache_size = -65536");
  const prepared = new Map(Object.values(SQLITE).map((sql) => [sql, database.prepare(sql)]));
  return (sql, values) => prepared.get(sql)!.all(...values) as PlainRow[];
}

function askPostgres(url: string): PlainQuery {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const names = new Map(Object.entries(POSTGRES).map(([name, sql]) => [sql, name]));
  return async (sql, values) => (await pool.query({ name: names.get(sql)!, text: sql, values })).rows;
}

const SQLITE = {
  TOKEN: "SELECT id FROM access_tokens WHERE hash = ? AND revoked_at IS NULL",
  UTXOS: `
    SELECT o.transaction_id AS place, o.output_index AS output, o.transaction_id >> 20 AS blockHeight,
           '0x' || lower(hex(o.transaction_hash)) || ':' || o.output_index AS outPoint,
           CAST(coalesce(o.amount, o.capacity) AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity,
           t.layer, t.parent_id AS parentId, CAST(t.supply AS TEXT) AS totalSupply, t.description, t.public,
           '0x' || lower(hex(f.hash)) AS firstFoundBlock,
           strftime('%Y-%m-%dT%H:%M:%fZ', m.timestamp / 1000.0, 'unixepoch') AS firstMintAt,
           t.keywords, t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals
    FROM live_outputs o JOIN tokens t ON t.id = o.token_id
    LEFT JOIN blocks f ON f.height = t.first_height LEFT JOIN blocks m ON m.height = t.first_mint_height
    WHERE o.address_id = (SELECT id FROM addresses WHERE key = ?) AND (o.transaction_id, o.output_index) > (?, ?)
    ORDER BY o.transaction_id, o.output_index LIMIT ?`,
  CHANGES: `
    SELECT CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd, b.change_count AS total,
           t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals, t.tags
    FROM blocks b JOIN asset_changes c ON c.height = b.height JOIN tokens t ON t.id = c.token_id
    WHERE b.hash = ? ORDER BY c.ordinal LIMIT ? OFFSET ?`,
};

const POSTGRES = {
  TOKEN: "SELECT id FROM access_tokens WHERE hash = $1 AND revoked_at IS NULL",
  UTXOS: `
    SELECT o.transaction_id AS place, o.output_index AS output, o.transaction_id >> 20 AS "blockHeight",
           '0x' || encode(o.transaction_hash, 'hex') || ':' || o.output_index AS "outPoint",
           coalesce(o.amount, o.capacity)::text AS amount, o.capacity::text AS capacity,
           t.layer, t.parent_id AS "parentId", t.supply::text AS "totalSupply", t.description, t.public,
           '0x' || encode(f.hash, 'hex') AS "firstFoundBlock",
           to_char(to_timestamp(m.timestamp / 1000.0), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "firstMintAt",
           t.keywords, t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals
    FROM live_outputs o JOIN tokens t ON t.id = o.token_id
    LEFT JOIN blocks f ON f.height = t.first_height LEFT JOIN blocks m ON m.height = t.first_mint_height
    WHERE o.address_key = $1 AND (o.transaction_id, o.output_index) > ($2, $3)
    ORDER BY o.transaction_id, o.output_index LIMIT $4`,
  CHANGES: `
    SELECT c.amount::text AS amount, c.amount_usd::text AS usd, b.change_count AS total,
           t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals, t.tags
    FROM blocks b JOIN asset_changes c ON c.block_hash = b.hash JOIN tokens t ON t.id = c.token_id
    WHERE b.hash = $1 ORDER BY c.ordinal LIMIT $2 OFFSET $3`,
};

if (import.meta.main) {
  profileOnRequest();
  // The benchmark has ended, for whatever reason.
  process.once("disconnect", () => process.exit());
  const kind = process.argv[2] as ServerKind;
  const url = process.env.DATABASE_URL ?? "";
  const ports = {
    ours: serveOurs,
    bare: serveBare,
    stringify: serveStringify,
    fastify: () => serveFastify(url),
  };
  process.send!(await ports[kind]());
}
