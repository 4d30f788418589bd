/** Errors that the store throws, and functions that tell them apart. */

import { codeOf } from "#lib/contract/errors.ts";

/** Thrown if a position names a block that this copy of the data never had: the copy may be behind. */
export class PositionAheadError extends Error {
  readonly code = "POSITION_AHEAD";

  override readonly name = "PositionAheadError";

  constructor() {
    super("The position comes from a state that is not indexed here");
  }
}

/** A block that does not fit the ones already stored. */
export class ChainConflictError extends Error {
  override readonly name = "ChainConflictError";
}

/** The database did not respond in time or cannot be reached. The same call may succeed later. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
  readonly code = "STORE_UNAVAILABLE";
}

export const isPositionAhead = (error: unknown): boolean => codeOf(error) === "POSITION_AHEAD";

/** The files of the database are not the ones that were opened, so writes would be lost. Only a restart helps. */
export class StoreLostError extends Error {
  override readonly name = "StoreLostError";
  readonly code = "STORE_LOST";
}

export const isLost = (error: unknown): boolean => codeOf(error) === "STORE_LOST";

/** SQLite's primary result codes: the lowest byte of an extended one. */
export const BUSY = 5;
export const READONLY = 8;
export const IOERR = 10;
export const CORRUPT = 11;
export const FULL = 13;
export const CANTOPEN = 14;
const PASSING_CODES = [BUSY, READONLY, IOERR, FULL, CANTOPEN];

/** Whether SQLite gave the error with one of these primary result codes. */
export function hasResultCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof Error && "errcode" in error && codes.includes(Number(error.errcode) % 256);
}

/** Whether the database is unavailable for now. Unless it `isLost`, the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return codeOf(error) === "STORE_UNAVAILABLE" || isLost(error) || hasResultCode(error, PASSING_CODES);
}

/** Whether the database is damaged or its disk failed. SQLite reports both alike, and only the second is temporary. */
export const isUnreadable = (error: unknown): boolean => hasResultCode(error, [CORRUPT]);
