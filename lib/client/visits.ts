import { isTextUpTo, storedList } from "./stored.ts";
import { isWallet, MAX_ADDRESS_TEXT } from "./wallet.ts";

/** The tip when this browser last read an address. It is sent only in requests for changes and in links that the reader follows. */
export interface Visit {
  address: string;
  hash: string;
  height: number;
  /** Milliseconds since the Unix epoch. */
  time: number;
  before?: Omit<Visit, "address" | "before">;
}

/** A watched address, as of the last visit. */
export interface Watch extends Visit {
  /** What it held, in units of 10^-8 US dollars; null if nothing had a price. */
  valueUsd: string | null;
}

/** Reloading the page within this time belongs to the same visit. */
const SAME_VISIT_MS = 30 * 60_000;
/** The last moment that a JavaScript date can have. */
const MAX_TIME = 8_640_000_000_000_000;

const addressOf = ({ address }: Visit) => address;
const isAddress = isTextUpTo(MAX_ADDRESS_TEXT);

/** The visits in the browser's local storage. */
export const storedVisits = storedList("aqs_visits", 50, isVisit, addressOf);

/** The addresses that the reader watches. */
export const storedWatches = storedList(
  "aqs_watched_1",
  24,
  (value): value is Watch => {
    const { valueUsd } = Object(value) as Partial<Watch>;
    return isVisit(value) && (valueUsd === null || /^\d{1,60}$/.test(String(valueUsd)));
  },
  addressOf,
);

/** The list with the latest visit of an address that is on it. */
export const withLatest = (list: readonly Watch[], latest: Watch): Watch[] =>
  list.map((one) => (one.address === latest.address ? latest : one));

function isVisit(value: unknown): value is Visit {
  const { address, before } = Object(value) as Partial<Visit>;
  return (
    isAddress(address) && !isWallet(address) && isPlace(value) && (before === undefined || isPlace(before))
  );
}

function isPlace(value: unknown): boolean {
  const { hash, height, time } = Object(value) as Partial<Visit>;
  const isHash = typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash);
  const isCount = (number: unknown) => Number.isSafeInteger(number) && Number(number) >= 0;
  return isHash && isCount(height) && isCount(time) && Number(time) <= MAX_TIME;
}

/** Adds a visit to the list. The newest is first, and each address appears once. */
export function withVisit(list: readonly Visit[], { address, hash, height, time }: Visit): Visit[] {
  const last = list.find((one) => one.address === address);
  const others = list.filter((one) => one !== last);
  const before = !last || time - last.time < SAME_VISIT_MS ? last?.before : placeOf(last);
  return [{ address, hash, height, time, ...(before && { before }) }, ...others].slice(0, storedVisits.most);
}

const placeOf = ({ hash, height, time }: Visit) => ({ hash, height, time });

/** Stores a visit. Returns the address's previous visit, if any. */
export function recordVisit(visit: Visit): Visit["before"] {
  const list = withVisit(storedVisits.items(), visit);
  storedVisits.write(list);
  return list[0]?.before;
}
