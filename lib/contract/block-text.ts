/** The texts that name a block in requests, beside `tip`. Safe for a browser. */
export const HASH = /^(0x|0X)?[0-9a-fA-F]{64}$/;
export const HEIGHT = /^(0|[1-9][0-9]*)$/;
/** A date, or a time with its zone. Not all such texts are times: see `timeIn`. */
export const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})([Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|([+-])([0-9]{2}):([0-9]{2})))?$/;

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/**
 * Reads an RFC 3339 time as milliseconds since the Unix epoch, and a date as the end of that day in UTC. Digits beyond
 * milliseconds are dropped. A leap second may end any month, and is read as the last millisecond before it. Returns undefined
 * for any other text.
 */
export function timeIn(text: string): number | undefined {
  const [, date = "", time, hours, minutes, seconds, fraction = ".", , sign, zoneHours = 0, zoneMinutes = 0] =
    TIME.exec(text) ?? [];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // JavaScript reads 30 February as 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  if (time === undefined) return midnight + DAY - 1;
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const [zoneHour, zoneMinute] = [Number(zoneHours), Number(zoneMinutes)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined;
  const zone = (zoneHour * 60 + zoneMinute) * (sign === "-" ? -1 : 1);
  const start = midnight + (hour * 60 + minute - zone) * MINUTE;
  if (second < 60) return start + second * 1_000 + Number(fraction.slice(1, 4).padEnd(3, "0"));
  const endsMonth = new Date(start + MINUTE).toISOString().includes("-01T00:00");
  return endsMonth ? start + MINUTE - 1 : undefined;
}

/** Says why a range is empty whose ends are dates or times. */
export const SINGLE_DAY =
  "This range is empty: a date stands for its last block. For a single day, start with the day before.";
