import { storedList } from "./stored-list.ts";

/** The block at which this browser last read an address. It is never sent, except in a link that the reader follows. */
export interface Visit {
  address: string;
  /** Of the tip at which the page was read. */
  hash: string;
  height: number;
  /** Milliseconds since the Unix epoch. */
  time: number;
  before?: Omit<Visit, "address" | "before">;
}

/** Loading the page again so soon is part of the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

/** Of 50 addresses. */
export const storedVisits = storedList("aqs_visits", 50, isVisit);

function isVisit(value: unknown): value is Visit {
  const { address, before } = Object(value) as Partial<Visit>;
  return typeof address === "string" && isPlace(value) && (before === undefined || isPlace(before));
}

function isPlace(value: unknown): boolean {
  const { hash, height, time } = Object(value) as Partial<Visit>;
  const isHash = typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash);
  return isHash && Number.isSafeInteger(height) && Number.isSafeInteger(time);
}

/** The list with this visit, newest first, each address once. */
export function withVisit(list: readonly Visit[], { address, hash, height, time }: Visit): Visit[] {
  const last = list.find((one) => one.address === address);
  const others = list.filter((one) => one !== last);
  const before = !last || time - last.time < SAME_VISIT_MS ? last?.before : placeOf(last);
  return storedVisits.cut([{ address, hash, height, time, ...(before && { before }) }, ...others]);
}

const placeOf = ({ hash, height, time }: Visit) => ({ hash, height, time });

/** Remembers that the address was read at a block; returns the visit before, if there is one. */
export function recordVisit(visit: Visit): Visit["before"] {
  const list = withVisit(storedVisits.parse(storedVisits.read()), visit);
  storedVisits.write(list);
  return list[0]?.before;
}
