import type { z } from "zod";
import type { Issue } from "#lib/contract/errors.ts";
import type { Contract, cursorPage } from "#lib/contract/operation.ts";
import type { IndexTip, Position } from "#lib/store/rows.ts";
import { type Codec, list, literal, object, plainText } from "./codec.ts";
import { outputPlaces, type PlaceFormat, withState } from "./cursor.ts";
import type { Context, Implementation, Lines } from "./operation.ts";
import { check, type Values } from "./parse.ts";
import type { WalkState } from "./walk-state.ts";

type WalkContract = Contract & {
  walk: NonNullable<Contract["walk"]>;
  response: ReturnType<typeof cursorPage>;
};

/** Some rows of a list that is walked by cursor. `Place`: what a row's place in the list is. */
export interface Rows<Row, Place = Position> {
  tip: IndexTip | null;
  /** The state that the rows are of; missing in a list of what is live. */
  asOf?: WalkState | undefined;
  rows: Row[];
  hasNext: boolean;
  /** Of the last row; null if there is none. */
  last: Place | null;
  /** What stands after the last row of the list: further fields of its page, and of the last line of NDJSON. */
  end?: object | undefined;
}

const blockHeaders = ({ asOf }: { asOf?: WalkState | undefined }): Record<string, string> =>
  asOf ? { "X-Block-Height": String(asOf.height), "X-Block-Hash": asOf.hash } : {};

/** A page of a list, with the cursor that continues after it. */
export type CursorPage<Row, Place = Position> = Rows<Row, Place> & { lastCursor: string };

/** Which rows are wanted: so many after this place, or from the start. */
export interface Window<Place = Position> {
  after?: Place | undefined;
  limit: number;
  /** The state that the rows before were of, if the list has one. */
  state?: WalkState | undefined;
}

/** Parameters that say where a page begins and ends. */
type Paging = "cursor" | "pageSize" | "after";
/** All other parameters, and what was read from them. `rows` has to use each. */
type Selected<C extends WalkContract, Read> = Omit<Values<C>, Paging | keyof Read> & Read;
type Asked<C extends WalkContract, Read, Place> = Selected<C, Read> &
  Window<Place> & { cursor: string; bound: string };

/** How cursors hold a list's places. Those of outputs need no mention. */
type Places<Place> = Position extends Place
  ? { places?: PlaceFormat<Place> }
  : { places: PlaceFormat<Place> };

interface Parts<C extends WalkContract, Read extends object, Row, Place> {
  /** Reads what parameters mean on this chain, and adds what is wrong to the issues. */
  read(
    given: Partial<Values<C>>,
    issues: Issue[],
  ): Promise<{ [Name in keyof Read]?: Read[Name] | undefined }>;
  /** Where a list begins that was asked for without a cursor; undefined: at its start. */
  start?(given: Partial<Values<C>>, issues: Issue[]): Promise<Place | undefined>;
  rows(selected: Selected<C, Read>, window: Window<Place>): Promise<Rows<Row, Place>>;
  entry: Codec<Row, z.output<C["entry"]>>;
}

/** Entries that a streamed answer reads, and holds in memory, together. */
const STREAMED_AT_ONCE = 200;

/** A parameter as cursors are bound to it. */
function boundText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "object" && value !== null && "key" in value) return String(value.key);
  return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** What a cursor of the list is bound to, in order. Cursors outlive versions: a new parameter comes after all others. */
export function boundParameters({ params, query, walk }: Contract): string[] {
  return Object.keys({ ...params.shape, ...query.shape }).filter((name) => !walk?.free.includes(name));
}

/** The last page has the fields of its `end` after the others. */
const ended = <Page extends { end?: object | undefined }, Value>(
  page: Codec<Page, Value>,
): Codec<Page, Value> => ({
  value: (row) => ({ ...page.value(row), ...row.end }),
  json(row) {
    const text = page.json(row);
    return row.end ? `${text.slice(0, -1)},${JSON.stringify(row.end).slice(1)}` : text;
  },
});

/**
 * A list that is walked by cursor, in pages or as NDJSON: both read it with `rows`. Its cursors continue only a walk with
 * the same parameters, except for those that the contract leaves free.
 */
export function walk<C extends WalkContract, Read extends object, Row, Place = Position>(
  contract: C,
  { cursors }: Pick<Context, "cursors">,
  { read, start, rows, entry, ...others }: Parts<C, Read, Row, Place> & Places<Place>,
): Required<Implementation<C, Asked<C, Read, Place>, CursorPage<Row, Place>>> {
  const places = (others.places ?? outputPlaces) as PlaceFormat<Place>;
  const bound = boundParameters(contract);
  const defaults = Object.fromEntries(
    Object.entries(contract.query.shape).map(([name, schema]) => [
      name,
      (schema as z.ZodType).safeParse(undefined).data,
    ]),
  );
  const bindingOf = (values: Record<string, unknown>): string => {
    const texts = bound.map((name) => boundText(values[name] ?? defaults[name]));
    // A filter that a later version adds leaves the cursors of walks without it as they are.
    return texts.join("|").replace(/\|+$/, "");
  };

  const statePlaces = withState(places);
  const isOfOneState = (given: object) => !contract.walk.live || ("at" in given && given.at !== undefined);

  /** The cursor after some rows; the one that was sent if there are none. */
  const cursorAfter = (
    { last, asOf: state }: Rows<Row, Place>,
    { cursor, after, bound }: Asked<C, Read, Place>,
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

  const readRows = async (asked: Asked<C, Read, Place>, window: Window<Place>): Promise<Rows<Row, Place>> => {
    const page = await rows(asked, window);
    const { hash } = page.asOf ?? {};
    if (isOfOneState(asked) && hash !== (window.state?.hash ?? hash ?? ""))
      throw new Error(`${contract.operationId} left the state of its walk`);
    return page;
  };

  return {
    async parse(params, search) {
      const checked = check<C>(contract, params, search);
      const { given, issues } = checked;
      // What the schema cannot tell joins its issues.
      const meant = await read(given, issues);
      const { cursor = "" } = given as { cursor?: string };
      const binding = bindingOf({ ...given, ...meant });
      const continued = cursor === "" ? undefined : continuedAfter(cursor, given, binding);
      if (continued === null) {
        const message = `This cursor was not issued for this ${new Intl.ListFormat("en-GB").format(bound)}`;
        issues.push({ path: ["query", "cursor"], code: "invalid_cursor", message });
      }
      const after = (await start?.(given, issues)) ?? continued?.place;
      const values = checked.values() as Values<C> & { pageSize: number };
      const window = { after, limit: values.pageSize, state: continued?.state };
      return { ...values, ...(meant as Read), cursor, bound: binding, ...window };
    },

    async query(asked) {
      const page = await readRows(asked, asked);
      return { ...page, lastCursor: cursorAfter(page, asked) };
    },

    async *lines(asked, atOnce = STREAMED_AT_ONCE): AsyncGenerator<Lines> {
      let { after, cursor, state } = asked;
      let hasNext = true;
      let end: object | undefined;
      /** The next entries. A generator keeps what its own variables hold until it goes on, and its reader may take long. */
      const piece = async (): Promise<Lines> => {
        const page = await readRows(asked, { after, limit: atOnce, state });
        cursor = cursorAfter(page, { ...asked, after, cursor });
        after = page.last ?? after;
        state = page.asOf;
        hasNext = page.hasNext;
        end = page.end;
        return {
          tip: page.tip,
          headers: blockHeaders(page),
          text: page.rows.map((row) => `${entry.json(row)}\n`).join(""),
        };
      };
      while (hasNext) yield await piece();
      yield { tip: null, text: `${JSON.stringify({ cursor, ...end })}\n` };
    },

    headers: blockHeaders,

    // `cursorPage` declares these fields.
    codec: ended(
      object({
        result: list((page: CursorPage<Row, Place>) => page.rows, entry),
        hasNext: literal((page: CursorPage<Row, Place>) => page.hasNext),
        lastCursor: plainText((page: CursorPage<Row, Place>) => page.lastCursor),
      }),
    ) as Codec<CursorPage<Row, Place>, z.output<C["response"]>>,
  };
}
