import { describe, expect, test } from "vitest";
import type { CursorPage, NumberedPage } from "./queries.ts";
import { type Fetched, RequestError } from "./request.ts";
import { walkCursors, walkPages } from "./walks.ts";

interface Entry {
  id: string;
}
const entry = (id: string): Entry => ({ id });

const noOptions = () => ({ signal: new AbortController().signal, onProgress: () => {}, onRows: () => {} });

function reader<Page>(...answers: (Page | Error)[]) {
  const asked: unknown[] = [];
  const read = async (place: unknown): Promise<Fetched<Page>> => {
    asked.push(place);
    const data = answers[asked.length - 1]!;
    if (data instanceof Error) throw data;
    return { data, tip: null, requestId: "r" };
  };
  return { asked, read };
}

const page = (ids: string[], hasNext: boolean, lastCursor: string): CursorPage<Entry> => ({
  result: ids.map(entry),
  hasNext,
  lastCursor,
});
const idOf = ({ id }: Entry) => id;

describe("walking a list by cursor", () => {
  test("follows the cursor to the end, each entry once", async () => {
    const { asked, read } = reader(page(["a:0", "a:1"], true, "c1"), page(["a:1", "b:0"], false, "c2"));
    const rows: string[] = [];
    await walkCursors({ ...noOptions(), idOf, read, onRows: (some) => rows.push(...some.map(idOf)) });
    expect(rows).toEqual(["a:0", "a:1", "b:0"]);
    expect(asked).toEqual(["", "c1"]);
  });

  test("stops with an error if the cursor repeats", async () => {
    const { read } = reader(page(["a:0"], true, "c1"), page(["a:1"], true, "c1"));
    await expect(walkCursors({ ...noOptions(), idOf, read })).rejects.toThrow("does not advance");
  });

  test("waits for the server's time if the limit is reached, then continues", async () => {
    const limited = new RequestError("TOO_MANY_REQUESTS", "Too many requests", {
      status: 429,
      retryAfter: 0,
    });
    const { read } = reader<CursorPage<Entry>>(limited, page(["a:0"], false, "c1"));
    const pauses: unknown[] = [];
    await walkCursors({
      ...noOptions(),
      idOf,
      read,
      onProgress: (_rows, pause) => pauses.push(pause && [pause.error, pause.failures]),
    });
    expect(pauses).toEqual([[limited, 1], null]);
  });

  test("ends at once if it was cancelled", async () => {
    const controller = new AbortController();
    controller.abort();
    const { asked, read } = reader<CursorPage<Entry>>(
      new RequestError("UNREACHABLE", "cancelled"),
      page(["a:0"], false, "c1"),
    );
    const walk = walkCursors({ ...noOptions(), signal: controller.signal, idOf, read });
    await expect(walk).rejects.toThrow("cancelled");
    expect(asked).toHaveLength(1);
  });
});

describe("walking a list by page", () => {
  const rows = (count: number): NumberedPage<Entry> => ({
    result: Array.from({ length: count }, (_, at) => entry(String(at))),
    total: 101,
  });

  test("reads pages until the total is reached", async () => {
    const { asked, read } = reader(rows(100), rows(1));
    let count = 0;
    await walkPages({
      ...noOptions(),
      read,
      onRows: (some) => {
        count += some.length;
      },
    });
    expect(count).toBe(101);
    expect(asked).toEqual([1, 2]);
  });

  test("ends with an empty page, whatever the total says", async () => {
    const { asked, read } = reader(rows(100), rows(0));
    await walkPages({ ...noOptions(), read });
    expect(asked).toEqual([1, 2]);
  });
});
