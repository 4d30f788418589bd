import { expect, test } from "vitest";
import { z } from "zod";
import { type Contract, cursorPage, integer } from "#lib/contract/operation.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { newestFirst } from "./address-changes/contract.ts";
import { contract as addressUtxos } from "./address-utxos/contract.ts";
import { literal, object } from "./codec.ts";
import { createCursorCodec, outputPlaces } from "./cursor.ts";
import { boundParameters, walk } from "./walk.ts";

/** A list of the numbers of one block, with filters of our own. */
const entry = z.object({ number: z.int() });
const contract = {
  operationId: "listNumbers",
  tag: "Blocks",
  summary: "Numbers",
  description: "",
  path: "/v0/lists/{of}/numbers",
  scope: "utxos:read",
  params: z.object({ of: z.string() }),
  query: z.object({
    pageSize: integer(2, 1, 10),
    cursor: z.string().default(""),
    from: integer(0, 0),
    kinds: z.array(z.string()).default([]),
    named: z.string().optional(),
  }),
  entry,
  response: cursorPage(entry),
  headers: [],
  errors: [],
  walk: { free: ["pageSize", "cursor"], live: true },
} as const satisfies Contract;

const cursors = createCursorCodec(new Uint8Array(32));
const hash = `0x${"ab".repeat(32)}`;
const tip = { height: 1, hash };

const numbers = walk<typeof contract, object, number>(
  contract,
  { cursors },
  {
    read: async () => ({}),
    async rows({ of: _of, from, kinds, named, ...rest }, { after, limit }) {
      exhaustive(rest);
      const all = Array.from({ length: 500 }, (_, i) => i).filter((n) => n >= from && named !== "none");
      const left = all.filter((n) => kinds.every((kind) => kind !== "even" || n % 2 === 0));
      const rows = left.filter((n) => n > (after?.outputIndex ?? -1)).slice(0, limit);
      const last = rows.at(-1);
      return {
        tip,
        rows,
        hasNext: last !== undefined && last < left.at(-1)!,
        last:
          last === undefined
            ? null
            : { height: 1, transactionIndex: 0, outputIndex: last, blockHash: hash, readAt: tip },
      };
    },
    entry: object({ number: literal((n: number) => n) }),
  },
);

const pageOf = async (query: string) => {
  const asked = await numbers.parse({ of: "all" }, new URLSearchParams(query));
  return numbers.codec.value(await numbers.query(asked));
};

test("a cursor is bound to every parameter that the contract does not leave free", async () => {
  const { lastCursor: cursor } = await pageOf("from=10&kinds=even");
  expect((await pageOf(`from=10&kinds=even&pageSize=3&cursor=${cursor}`)).result).toEqual([
    { number: 14 },
    { number: 16 },
    { number: 18 },
  ]);
  for (const other of [
    "kinds=even",
    "from=10",
    "from=10&kinds=even&kinds=odd",
    "from=10&kinds=even&named=x",
  ]) {
    await expect(pageOf(`${other}&cursor=${cursor}`)).rejects.toMatchObject({
      issues: [
        { code: "invalid_cursor", message: "This cursor was not issued for this of, from, kinds and named" },
      ],
    });
  }
});

test("a filter at its default, or one that is added later, leaves cursors as they are", async () => {
  const { lastCursor } = await pageOf("from=10&kinds=even");
  const position = { height: 1, transactionIndex: 0, outputIndex: 12, blockHash: hash, readAt: tip };
  // Without `named`, the binding is that of a contract which does not have it.
  expect(lastCursor).toBe(cursors.encode(outputPlaces, position, `all|10|${encodeURIComponent('["even"]')}`));
});

test("new parameters that bind cursors come after the old ones", () => {
  expect(boundParameters(addressUtxos).slice(0, 3)).toEqual(["address", "token", "order"]);
});

test("a choice that a list gets later leaves its cursors as they are", () => {
  expect([undefined, "asc", "desc"].map((order) => newestFirst.parse(order))).toEqual([
    undefined,
    undefined,
    "desc",
  ]);
});

test("values that hold the separator cannot pass for others", async () => {
  const { lastCursor } = await pageOf("named=a%7Cb");
  await expect(pageOf(`named=a&cursor=${lastCursor}`)).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("NDJSON has the rows of the pages, then the last page's cursor", async () => {
  for (const query of ["", "from=480", "kinds=even&from=3", "named=none"]) {
    const asked = await numbers.parse({ of: "all" }, new URLSearchParams(query));
    let text = "";
    for await (const piece of numbers.lines(asked)) text += piece.text;
    const lines = text.trim().split("\n");
    const cursor = lines.pop()!;
    const paged: string[] = [];
    for (let page = await pageOf(query); ; page = await pageOf(`${query}&cursor=${page.lastCursor}`)) {
      paged.push(...page.result.map((one) => JSON.stringify(one)));
      if (page.hasNext) continue;
      expect(JSON.parse(cursor)).toEqual({ cursor: page.lastCursor });
      break;
    }
    expect(lines).toEqual(paged);
  }
});
