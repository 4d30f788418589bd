import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Service } from "#lib/api/service.ts";
import { nameFailures, renderFor } from "./rendered-request.ts";

test("an error of the store has the id of the request whose page it fails, and elsewhere none", async () => {
  const store = {
    async query(): Promise<never> {
      await setImmediate();
      throw new Error("no such table");
    },
  } as Pick<Service["store"], "query">;
  nameFailures(store);
  const failure = () => store.query(null as never).catch((error: unknown) => error);
  const failures = await Promise.all([renderFor("one", failure), renderFor("two", failure), failure()]);
  expect(failures.map((error) => ({ ...(error as Error) }))).toEqual([
    { digest: "one" },
    { digest: "two" },
    {},
  ]);
  expect(failures.map(String)).toEqual(Array(3).fill("Error: no such table"));
});

test("results of the store are passed on, with the store as `this`", async () => {
  const store = {
    height: 7,
    async query(query: number, input: number) {
      return [this.height, query, input];
    },
  };
  nameFailures(store as unknown as Pick<Service["store"], "query">);
  expect(await store.query(1, 2)).toEqual([7, 1, 2]);
});
