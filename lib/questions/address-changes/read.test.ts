import { expect, test } from "vitest";
import type { Question } from "#lib/store/question.ts";
import { keyOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { changesOfAddress } from "./read.ts";

/** The same question, which counts the rows that it reads. */
function counted<Input, Answer>(question: Question<Input, Answer>, rows: { read: number }) {
  const read: typeof question.read = (db, input) => {
    const all: typeof db.all = (...query) => {
      const found = db.all(...query);
      const count = (some: object[]) => {
        rows.read += some.length;
        return some;
      };
      return (found instanceof Promise ? found.then(count) : count(found)) as never;
    };
    return question.read(Object.create(db, { all: { value: all } }), input);
  };
  return { ...question, read };
}

describeEngines(() => {
  test("a page does not read what a hundred transactions with many outputs did", async () => {
    for (let i = 0; i < 100; i++) ledger.block([{ create: new Array(50).fill({ to: "ann" }) }]);
    await feed(store, ledger.blocks);
    const rows = { read: 0 };
    const page = await store.ask(counted(changesOfAddress, rows), { addressKey: keyOf("ann"), limit: 100 });
    expect([page.rows.length, page.hasNext]).toEqual([100, true]);
    expect(rows.read).toBeLessThan(1_000);
  });
});
