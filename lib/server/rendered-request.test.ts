import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Service } from "#lib/api/service.ts";
import { markNotFound, nameFailures, REQUEST_ID_HEADER, renderFor } from "./rendered-request.ts";

/** Renders for a request with these headers, and returns the result and the status of the response. */
function render<Result>(
  headers: IncomingHttpHeaders,
  page: () => Result,
): { result: Result; status: number } {
  const request = { headers } as IncomingMessage;
  const response = { statusCode: 200 } as ServerResponse;
  const result = renderFor(request, response, page);
  return { result, status: response.statusCode };
}

test("an error of the store has the id of the request whose page it fails, and elsewhere none", async () => {
  const store = {
    async query(): Promise<never> {
      await setImmediate();
      throw new Error("no such table");
    },
  } as Pick<Service["store"], "query">;
  nameFailures(store);
  const failure = () => store.query(null as never).catch((error: unknown) => error);
  const failureFor = (id: string) => render({ [REQUEST_ID_HEADER]: id }, failure).result;
  const failures = await Promise.all([failureFor("one"), failureFor("two"), failure()]);
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

test("a page about what does not exist has the status 404, but not for the router, which would leave it", () => {
  expect(render({}, markNotFound).status).toBe(404);
  expect(render({ rsc: "1" }, markNotFound).status).toBe(200);
  expect(markNotFound).not.toThrow();
});
