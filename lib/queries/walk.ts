import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type { Issue } from "#lib/contract/errors.ts";
import type { Contract, cursorPage } from "#lib/contract/operation.ts";
import type { IndexTip, Position, Tip } from "#lib/store/rows.ts";
import { type Codec, list, literal, object, plainText } from "./codec.ts";
import { outputPlaces, type PlaceFormat, withState } from "./cursor.ts";
import type { Context, Implementation, Lines } from "./operation.ts";
import { check, type Values } from "./parse.ts";
import type { Ahead, WalkState } from "./walk-state.ts";

type WalkContract = Contract & {
  walk: NonNullable<Contract["walk"]>;
  response: ReturnType<typeof cursorPage>;
};

/** Some rows of a list that is walked by cursor. */
export interface Rows<Row, Place = Position> {
  tip: IndexTip | null;
  /** The state that the rows are from; missing in a list of what is live. */
  asOf?: WalkState | undefined;
  rows: Row[];
  hasNext: boolean;
  /** The last row's place; null if there are no rows. */
  last: Place | null;
  /** Further fields of the list's last page, and of the last line of NDJSON. */
  end?: object | undefined;
}

/**
 * Names the block that a response is as of, which is the tip unless it names another one, and the height that `from` names:
 * `after`, unless that is -1.
 */
export const blockHeaders = ({
  tip,
  asOf = tip,
}: {
  tip: Tip | null;
  asOf?: (Tip & { after?: number }) | null | undefined;
}): Record<string, string> => {
  if (!asOf) return {};
  const { height, hash, after = -1 } = asOf;
  const named = { "X-Block-Height": String(height), "X-Block-Hash": hash };
  return after < 0 ? named : { ...named, "X-From-Height": String(after) };
};

/** A page of a list, with the cursor that continues after it. */
export type CursorPage<Row, Place = Position> = Rows<Row, Place> & { lastCursor: string };

/** Rows to read: at most `limit`, after a place or from the start. */
export interface Window<Place = Position> {
  after?: Place | undefined;
  limit: number;
  /** The state of the walk, if its earlier rows had one. */
  state?: WalkState | undefined;
}

/** Parameters that say where a page begins and ends. */
type Paging = "cursor" | "pageSize" | "after";
/** All other parameters, as `read` converted them. `rows` must use each of them. */
type Selected<C extends WalkContract, Read> = Omit<Values<C>, Paging | keyof Read> & Read;
type Input<C extends WalkContract, Read, Place> = Selected<C, Read> &
  Window<Place> & { cursor: string; bound: string };

/** A list names the format of its places, unless they are those of outputs. */
type Places<Place> = Position extends Place
  ? { places?: PlaceFormat<Place> }
  : { places: PlaceFormat<Place> };

interface Parts<C extends WalkContract, Read extends object, Row, Place> {
  /** Reads parameters that depend on the chain. Adds an issue for each that is wrong. */
  read?(
    given: Partial<Values<C>>,
    issues: Issue[],
  ): Promise<{ [Name in keyof Read]?: Read[Name] | undefined }>;
  /** The place after which a list without a cursor begins; undefined: its start. */
  start?(given: Partial<Values<C>>, issues: Issue[]): Promise<Place | undefined>;
  rows(selected: Selected<C, Read>, window: Window<Place>): Promise<Rows<Row, Place>>;
  entry: Codec<Row, z.output<C["entry"]>>;
}

/** Entries that a streamed response reads and holds in memory at once. */
const STREAMED_AT_ONCE = 200;

/** Rows that all streamed responses together hold of what they have read ahead, up to 400 bytes each. */
const MAX_AHEAD = 300_000;
/**
 * Caches the rows that each streamed response has read beyond its last piece. A slow reader may take hours for 100,000 rows, so
 * the cache drops those of the response that has waited longest, which reads them again.
 */
export const readAhead = new LRUCache<object, Ahead>({
  maxSize: MAX_AHEAD,
  sizeCalculation: ({ size }) => size + 1,
});
/**
 * When the cache is full, only one new entry in this many drops others. Otherwise responses that take turns, and do not all fit,
 * would each read all of their rows again for every piece.
 */
const STORED_ONE_IN = 8;
let newEntries = 0;

/** Stores the rows that a response has read ahead, or none. */
export function keepAhead(stream: object, ahead: Ahead | undefined): void {
  const isKnown = readAhead.delete(stream);
  if (!ahead) return;
  const isFull = readAhead.calculatedSize + ahead.size + 1 > MAX_AHEAD;
  if (isKnown || !isFull || newEntries++ % STORED_ONE_IN === 0) readAhead.set(stream, ahead);
}

/** A parameter as cursors are bound to it. */
function boundText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "object" && value !== null && "key" in value) return String(value.key);
  return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Names of the parameters that bind a list's cursors, in order. Cursors outlive versions, so a new parameter comes last. */
export function boundParameters({ params, query, walk }: Contract): string[] {
  return Object.keys({ ...params.shape, ...query.shape }).filter((name) => !walk?.free.includes(name));
}

/** Appends the fields of `end`. */
const withEnd = <Page extends { end?: object | undefined }, Value>(
  page: Codec<Page, Value>,
): Codec<Page, Value> => ({
  value: (row) => ({ ...page.value(row), ...row.end }),
  json(row) {
    const text = page.json(row);
    return row.end ? `${text.slice(0, -1)},${JSON.stringify(row.end).slice(1)}` : text;
  },
});

/** A list in pages or as NDJSON. A cursor continues only a walk with the same parameters, apart from the contract's free ones. */
export function walk<C extends WalkContract, Read extends object, Row, Place = Position>(
  contract: C,
  { cursors }: Pick<Context, "cursors">,
  { read, start, rows, entry, ...others }: Parts<C, Read, Row, Place> & Places<Place>,
): Required<Implementation<C, Input<C, Read, Place>, CursorPage<Row, Place>>> {
  const places = (others.places ?? outputPlaces) as PlaceFormat<Place>;
  const bound = boundParameters(contract);
  const defaults = new Map(
    Object.entries<z.ZodType>(contract.query.shape).map(([name, schema]) => [
      name,
      schema.safeParse(undefined).data,
    ]),
  );
  const bindingOf = (values: Record<string, unknown>): string => {
    const texts = bound.map((name) => boundText(values[name] ?? defaults.get(name)));
    // Empty texts at the end are dropped, so a new filter leaves older cursors valid.
    return texts.join("|").replace(/\|+$/, "");
  };

  const statePlaces = withState(places);
  const isOfOneState = (given: object) => !contract.walk.live || ("at" in given && given.at !== undefined);

  /** The cursor after some rows. Without rows, the cursor of the request. */
  const cursorAfter = (
    { last, asOf: state }: Rows<Row, Place>,
    { cursor, after, bound }: Input<C, Read, Place>,
  ): string => {
    const place = last ?? (cursor === "" ? after : undefined);
    if (!place) return cursor;
    return state
      ? cursors.encode(statePlaces, { place, state }, bound)
      : cursors.encode(places, place, bound);
  };
  const continuedAfter = (cursor: string, given: object, binding: string) => {
    if (isOfOneState(given)) return cursors.decode(statePlaces, cursor, binding);
    const place = cursors.decode(places, cursor, binding);
    return place && { place, state: undefined };
  };

  const readRows = async (input: Input<C, Read, Place>): Promise<Rows<Row, Place>> => {
    const page = await rows(input, input);
    const hash = page.asOf?.hash;
    const isSame = hash !== undefined && hash === (input.state?.hash ?? hash);
    if (isOfOneState(input) && !isSame) throw new Error(`${contract.operationId} left the state of its walk`);
    return page;
  };

  return {
    async parse(params, search) {
      const checked = check<C>(contract, params, search);
      const { given, issues } = checked;
      const further = await read?.(given, issues);
      const { cursor = "" } = given as { cursor?: string };
      const binding = bindingOf({ ...given, ...further });
      const continued = cursor === "" ? undefined : continuedAfter(cursor, given, binding);
      if (continued === null) {
        const message = `This cursor was not issued for this ${new Intl.ListFormat("en-GB").format(bound)}`;
        issues.push({ path: ["query", "cursor"], code: "invalid_cursor", message });
      }
      const after = (await start?.(given, issues)) ?? continued?.place;
      const values = checked.values() as Values<C> & { pageSize: number };
      const window = { after, limit: values.pageSize, state: continued?.state };
      return { ...values, ...(further as Read), cursor, bound: binding, ...window };
    },

    async query(input) {
      const page = await readRows(input);
      return { ...page, lastCursor: cursorAfter(page, input) };
    },

    async *lines(input, atOnce = STREAMED_AT_ONCE): AsyncGenerator<Lines> {
      let next = { ...input, limit: atOnce };
      const stream = {};
      let hasNext = true;
      let end: object | undefined;
      // A function of its own, because a suspended generator would hold the page while a slow client reads.
      const nextLines = async (): Promise<Lines> => {
        const read = readAhead.get(stream);
        const page = await readRows(
          read && next.after ? { ...next, after: { ...next.after, ahead: read } } : next,
        );
        const cursor = cursorAfter(page, next);
        const last = (page.last ?? next.after) as (Place & { ahead?: Ahead }) | undefined;
        keepAhead(stream, last?.ahead);
        const after = last?.ahead ? { ...last, ahead: undefined } : last;
        next = { ...next, cursor, after, state: page.asOf };
        ({ hasNext, end } = page);
        const text = page.rows.map((row) => `${entry.json(row)}\n`).join("");
        return { tip: page.tip, headers: blockHeaders(page), text };
      };
      try {
        while (hasNext) yield await nextLines();
      } finally {
        readAhead.delete(stream);
      }
      yield { tip: null, text: `${JSON.stringify({ cursor: next.cursor, ...end })}\n` };
    },

    headers: blockHeaders,

    // `cursorPage` declares these fields.
    codec: withEnd(
      object({
        result: list((page: CursorPage<Row, Place>) => page.rows, entry),
        hasNext: literal((page: CursorPage<Row, Place>) => page.hasNext),
        lastCursor: plainText((page: CursorPage<Row, Place>) => page.lastCursor),
      }),
    ) as Codec<CursorPage<Row, Place>, z.output<C["response"]>>,
  };
}
