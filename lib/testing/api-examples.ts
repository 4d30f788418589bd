/** Example requests and responses of a served chain's API, for OpenAPI. */
import { expect } from "vitest";
import { EventLoopTicks, WorkQueue } from "#lib/api/work-queue.ts";
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { eventScope, events } from "#lib/contract/events.ts";
import { type HeaderName, headerDeclarations } from "#lib/contract/headers.ts";
import { type Contract, scopes } from "#lib/contract/operation.ts";
import { createCursorCodec } from "#lib/queries/cursor.ts";
import { type OperationName, operations } from "#lib/queries/operations.ts";
import type { KnownData, Reference } from "#lib/queries/reference.ts";
import type { ApiExamples } from "#lib/reference/examples.ts";
import type { ServedStore } from "./demo-server.ts";
import type { SeenResponse } from "./response-faults.ts";

/** Source of the examples. */
interface Site {
  served: ServedStore;
  known: KnownData;
  /** An address without outputs, and an unknown block. */
  unknown: Pick<KnownData, "address" | "blockHash">;
  hashAt(height: number): string;
}

/** Requests may wait as long as a chunk of a stream, so that a busy machine refuses none. */
class UnlimitedQueue extends WorkQueue {
  override run<T>(_caller: string, work: () => Promise<T>): Promise<T> {
    return this.runPiece(work);
  }
}

const KEY = new Uint8Array(32);

/** Fixed parts of the service. Otherwise responses would differ between databases, and on busy machines. */
export const steadyParts = {
  workQueue: new UnlimitedQueue(1, new EventLoopTicks()),
  cursors: createCursorCodec(KEY),
  now: () => Date.UTC(2026, 9, 1),
};

/** Parameters by name; in the query, one may have several values. */
type Given = Record<string, string | number | string[]>;

function urlOf(path: string, given: Given, origin: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
  const query = Object.entries(given).filter(
    ([name]) => !path.includes(`{${name}}`) && !/^(If-|Last-)/.test(name),
  );
  const pairs = query.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return `${origin}${filled}?${new URLSearchParams(pairs)}`;
}

/** The events up to the first block. */
async function firstEvents(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const block = /event: block\n.*\n\n/.exec(text);
    if (block) return text.slice(0, block.index + block[0].length);
  }
  throw new Error(`The stream ended after: ${text}`);
}

/** The required parameters in `given`. */
const required = ({ params, query }: Contract, given: Given): Given =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => name in params.shape || query.shape[name]?.safeParse(undefined).success === false,
    ),
  );

/** Names an unknown block if the operation has an optional block. */
const unknownBlock = ({ query }: Contract, hash: string): Given =>
  Object.fromEntries(["at", "to"].filter((name) => name in query.shape).map((name) => [name, hash]));

interface Asking {
  origin?: string;
  token?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** An operation's request and its responses. */
interface Asked {
  contract: Contract;
  given: Given;
  answer: SeenResponse;
  /** Parameters that name something unknown. */
  missing: Given;
}

export class ExampleTaker {
  readonly #site: Site;
  /** All requests and responses, with the paths of their operations. */
  readonly seen: { path: string; response: SeenResponse }[] = [];

  constructor(site: Site) {
    this.#site = site;
  }

  async #ask(path: string, given: Given, asking: Asking = {}): Promise<SeenResponse> {
    const { served } = this.#site;
    const response = await fetch(urlOf(path, given, asking.origin ?? served.origin), {
      method: asking.method ?? "GET",
      headers: {
        Authorization: `Bearer ${asking.token ?? served.token}`,
        "X-Request-Id": "example-1",
        "Accept-Encoding": "identity",
        ...asking.headers,
      },
    });
    const body =
      response.status === 200 && path === events.path ? await firstEvents(response) : await response.text();
    const seen = { status: response.status, headers: response.headers, body };
    this.seen.push({ path, response: seen });
    return seen;
  }

  /** Requests each operation once for each status that it may return. */
  async take(): Promise<ApiExamples> {
    const { served, known, unknown, hashAt } = this.#site;
    const token = await served.issue({ ratePerMinute: 600 });
    const made: Record<string, object> = {};
    const asked: Asked[] = [];
    for (const [name, operation] of Object.entries(operations)) {
      const contract: Contract = operation.contract;
      const { path } = contract;
      const example = operation.reference.example as Reference<Contract>["example"];
      const given = example.parameters(known) as Given;
      const answer = await this.#ask(path, given, { token });
      const page = JSON.parse(answer.body) as never;
      const etag = answer.headers.get("etag")!;
      const parameters = { ...given, ...example.more(page), "If-None-Match": etag };
      made[name] = { parameters, answer: page };
      if (contract.walk) {
        const few = { ...required(contract, given), ...example.few!(page) } as Given;
        const { body } = await this.#ask(path, few, { token, headers: { Accept: "application/x-ndjson" } });
        made[name] = { ...made[name], lines: body };
      }
      expect((await this.#ask(path, given, { token, headers: { "If-None-Match": etag } })).status).toBe(304);
      await this.#ask(path, given, { headers: { "Accept-Encoding": "gzip", "X-Forwarded-Proto": "https" } });
      asked.push({
        contract,
        given,
        answer,
        missing: {
          ...required(
            contract,
            example.parameters({
              ...{ ...known, ...unknown, asset: unknown.blockHash, transaction: unknown.blockHash },
            }) as Given,
          ),
          ...unknownBlock(contract, unknown.blockHash),
        },
      });
    }
    await this.#ask(operations.blockAssetChanges.contract.path, { blockHash: "tip" }, { token });

    const watched = { address: [known.address] };
    const height = Number(/"blockHeight":(\d+)/.exec(asked[0]!.answer.body)![1]) - 1;
    const resumed = { "Last-Event-ID": `${height}-${hashAt(height)}` };
    const stream = await this.#ask(events.path, watched, { token, headers: resumed });

    const { errors, headTooLong } = await this.#errorsOf(asked, watched);
    const headers: ApiExamples["headers"] = {};
    for (const name of Object.keys(headerDeclarations) as HeaderName[]) {
      const value = this.seen.map(({ response }) => response.headers.get(name)).find((sent) => sent !== null);
      if (value !== undefined && value !== null) headers[name] = value;
    }
    const parameters = { ...watched, ...resumed };
    return {
      operations: made as ApiExamples["operations"],
      events: { parameters, answer: stream.body },
      errors,
      headTooLong,
      headers,
    };
  }

  async #errorsOf(asked: Asked[], watched: Given): Promise<Pick<ApiExamples, "errors" | "headTooLong">> {
    const { served } = this.#site;
    const broken = () => Promise.reject(new Error("a fault of the server"));
    const faulty = await served.serve({}, { checkToken: broken });
    const full = await served.serve({ MAX_CONCURRENT_REQUESTS: "0" });
    const unlimited = await served.issue();
    const errors: Partial<Record<ErrorCode, object>> = {};
    let headTooLong = {};
    const each = asked.map(({ contract, given, missing }) => {
      const { path, scope, params, query } = contract;
      // Exceeds every maximum. The OpenAPI document needs these examples, so its maxima are unknown here.
      const spoilt =
        "pageSize" in query.shape
          ? { pageSize: Number.MAX_SAFE_INTEGER }
          : Object.fromEntries(Object.keys(params.shape).map((name) => [name, "nonsense"]));
      const wrong = { ...given, ...spoilt };
      return { path, given, wrong, missing, scope, errors: contract.errors };
    });
    const ofEvents = {
      wrong: { address: ["nonsense"] },
      missing: {},
      scope: eventScope(true),
      errors: events.errors,
    };
    for (const { path, given, wrong, missing, scope, errors: codes } of [
      ...each,
      { path: events.path, given: watched, ...ofEvents },
    ]) {
      const once = await served.issue({ ratePerMinute: 1 });
      await this.#ask(path, wrong, { token: once });
      const others = scopes.filter((other) => ![scope].flat().includes(other));
      const may = (code: ErrorCode) => (codes as readonly ErrorCode[]).includes(code);
      const forbidden = async () => this.#ask(path, given, { token: await served.issue({ scopes: others }) });
      const answers: Partial<Record<ErrorCode, SeenResponse>> = {
        BAD_REQUEST: await this.#ask(path, wrong),
        UNAUTHORIZED: await this.#ask(path, given, { token: "nonsense" }),
        // Every token has a scope, so operations that need any scope forbid nobody.
        ...(may("FORBIDDEN") && { FORBIDDEN: await forbidden() }),
        METHOD_NOT_ALLOWED: await this.#ask(path, given, { method: "DELETE", token: unlimited }),
        NOT_ACCEPTABLE: await this.#ask(path, given, { headers: { Accept: "text/csv" } }),
        TOO_MANY_REQUESTS: await this.#ask(path, given, { token: once }),
        INTERNAL_SERVER_ERROR: await this.#ask(path, given, { origin: faulty }),
        SERVICE_UNAVAILABLE: await this.#ask(path, given, { origin: full }),
      };
      const tooLong = await this.#ask(path, given, { headers: { "X-Long": "x".repeat(70_000) } });
      expect(tooLong.status).toBe(431);
      headTooLong = JSON.parse(tooLong.body) as object;
      if (may("NOT_FOUND")) answers.NOT_FOUND = await this.#ask(path, missing);
      for (const [code, { status, body }] of Object.entries(answers)) {
        expect([code, status]).toEqual([code, errorTable[code as ErrorCode].status]);
        errors[code as ErrorCode] ??= JSON.parse(body) as object;
      }
    }
    return { errors: errors as ApiExamples["errors"], headTooLong };
  }

  /** The parameters of the examples that are missing, unknown or refused. */
  async faultsIn(found: ApiExamples): Promise<string[]> {
    const faults: string[] = [];
    for (const [operation, { contract }] of Object.entries(operations)) {
      const { path, params, query }: Contract = contract;
      const parameters = found.operations[operation as OperationName].parameters as unknown as Given;
      const declared = [...Object.keys(params.shape), ...Object.keys(query.shape), "If-None-Match"];
      expect(Object.keys(parameters).sort()).toEqual(declared.sort());
      for (const [name, value] of Object.entries(parameters)) {
        const isHeader = name === "If-None-Match";
        const headers: Record<string, string> = isHeader ? { [name]: String(value) } : {};
        const given = { ...required(contract, parameters), [name]: value };
        const { status, body } = await this.#ask(path, given, { headers });
        if (status !== 200 && !(isHeader && status === 304)) faults.push(`${path} ${name}: ${body}`);
      }
    }
    return faults;
  }
}
