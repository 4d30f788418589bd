export { Database, LAST_WRITE, type PostgresOptions } from "./database.ts";
export type { SyncLock } from "./lock.ts";
export type { Session } from "./session.ts";
