import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import examples from "#lib/chains/ckb/examples.json" with { type: "json" };
import { errorTable, issueCodes } from "#lib/contract/errors.ts";
import { eventData, events } from "#lib/contract/events.ts";
import type { Contract } from "#lib/contract/operation.ts";
import { operations } from "#lib/queries/operations.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument(examples);
const contracts: Contract[] = Object.values(operations).map(({ contract }) => contract);

test("the description names each operation with its parameters, scope and every status of its responses", () => {
  for (const { contract } of Object.values(operations)) {
    const operation = document.paths![contract.path]!.get!;
    const names = operation.parameters!.map((parameter) => ("name" in parameter ? parameter.name : ""));
    expect(names.sort()).toEqual(
      [...Object.keys(contract.params.shape), ...Object.keys(contract.query.shape), "If-None-Match"].sort(),
    );
    expect(operation).toMatchObject({ security: [{ accessToken: [] }], "x-scopes": [contract.scope].flat() });
    const statuses = contract.errors.map((code) => String(errorTable[code].status));
    expect(Object.keys(operation.responses!).sort()).toEqual(["200", "304", "431", ...statuses].sort());
  }
});

test("numbers are described as the numbers they are", () => {
  const parameters = document.paths![operations.addressUtxos.contract.path]!.get!.parameters!;
  const pageSize = parameters.find((parameter) => "name" in parameter && parameter.name === "pageSize");
  expect(pageSize).toMatchObject({ schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 } });
  const { AssetChange } = document.components!.schemas as Record<string, Schema>;
  // Clients that are made of an integer refuse amounts above its range, and those of a number round them.
  for (const field of [AssetChange!.properties!.amount, AssetChange!.properties!.amountUsd])
    expect(field).toMatchObject({ type: "number", format: "double" });
});

test("an integer is nowhere said to be negative", () => {
  const integers: { minimum?: number }[] = [];
  JSON.stringify(document, (_key, value) => {
    if (value?.type === "integer") integers.push(value);
    return value;
  });
  expect(integers.length).toBeGreaterThan(30);
  expect(integers.filter(({ minimum = -1 }) => minimum < 0)).toEqual([]);
});

test("an operation's entries and pages have names, and a response may get more fields", () => {
  const { schemas } = document.components!;
  const named = contracts.flatMap(({ entry, response }) =>
    [entry, response].map((schema) => schema.meta()?.id),
  );
  expect(Object.keys(schemas!).sort()).toEqual(
    [...new Set(named), "Asset", "Error", "Event", "Issue", "TokenInfo"].sort(),
  );
  expect(JSON.stringify(document)).not.toContain("additionalProperties");
});

test("what v0 did not have at first is marked", () => {
  const marked = Object.values(document.paths!).flatMap(({ get }) => {
    const parameters = get!.parameters!.filter((parameter) => "x-extension" in parameter);
    const names = parameters.map((parameter) => ("name" in parameter ? parameter.name : ""));
    return "x-extension" in get! ? [get!.operationId, ...names] : names;
  });
  expect(marked).toEqual(expect.arrayContaining(["listUtxos", "listAddressChanges", "streamEvents"]));
  const added = (path: string) =>
    document.paths![path]!.get!.parameters!.flatMap((each) =>
      "x-extension" in each && "name" in each ? each.name : [],
    );
  expect(added(operations.addressUtxos.contract.path)).toEqual([
    "after",
    "token",
    "order",
    "include",
    "value",
    "at",
  ]);
  expect(added(operations.blockAssetChanges.contract.path)).toEqual(["search", "include"]);
  const { AssetChange, UtxoEntry } = document.components!.schemas as Record<string, Schema>;
  const addedTo = (schema: Schema) =>
    Object.entries(schema.properties!).flatMap(([name, field]) => ("x-extension" in field ? name : []));
  expect(addedTo(AssetChange!)).toEqual(["amountExact", "amountUsdExact", "kind"]);
  expect(addedTo(UtxoEntry!)).toEqual([
    "kind",
    "until",
    "compensation",
    "blockTime",
    "blockHash",
    "priceUsd",
    "valueUsd",
  ]);
});

test("each parameter and each response with a body has an example", () => {
  const bare = Object.entries(document.paths!).flatMap(([path, { get }]) => {
    const parameters = get!.parameters!.filter((each) => !("example" in each && each.example !== undefined));
    const { content } = get!.responses!["200"] as { content: Record<string, { example?: unknown }> };
    const answers = Object.values(content).filter(({ example }) => example === undefined);
    return [...parameters, ...answers].map((each) => `${path}: ${JSON.stringify(each)}`);
  });
  expect(bare).toEqual([]);
});

test("the server is where the description is, whatever path a proxy puts before both", () => {
  const [{ url }] = document.servers as [{ url: string }];
  const base = new URL(url, "https://assets.example/some/path/openapi.json").href.replace(/\/$/, "");
  expect(`${base}${operations.addressUtxos.contract.path}`).toMatch(
    "https://assets.example/some/path/v0/addresses/",
  );
});

type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
};

test("docs/api.md names every operation and its scope", () => {
  const docs = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  for (const { contract } of Object.values(operations)) {
    const path = RegExp.escape(contract.path);
    const scope = typeof contract.scope === "string" ? `\`${contract.scope}\`` : "either";
    expect(docs).toMatch(new RegExp(`^\\| .*GET ${path}.* \\| ${scope} \\|$`, "m"));
  }
  expect(docs).toContain(`GET ${events.path}`);
});

test("docs/api.md says what each code of an issue means", () => {
  const docs = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  for (const [code, meaning] of Object.entries(issueCodes))
    expect(docs).toContain(`| \`${code}\` | ${meaning} |`);
});

test("every field of a response has a description", () => {
  const schemas = document.components!.schemas as Record<string, Schema>;
  const mute = (path: string, schema: Schema): string[] => {
    if (schema.$ref) return mute(path, schemas[schema.$ref.split("/").at(-1)!]!);
    if (schema.items) return mute(`${path}[]`, schema.items);
    const fields = Object.entries(schema.properties ?? {});
    if (fields.length === 0) return schema.description ? [] : [path];
    return fields.flatMap(([name, field]) => mute(`${path}.${name}`, field));
  };
  for (const { contract } of Object.values(operations)) {
    const { path } = contract;
    const answer = document.paths![path]!.get!.responses!["200"] as {
      content: { "application/json": { schema: Schema } };
    };
    expect(mute(path, answer.content["application/json"].schema)).toEqual([]);
  }
});

test("the stream of events is described with every event", () => {
  const operation = document.paths![events.path]!.get!;
  const names = operation.parameters!.map((parameter) => ("name" in parameter ? parameter.name : ""));
  expect(names.sort()).toEqual(["Last-Event-ID", "address"]);
  const { description, content } = operation.responses!["200"] as { description: string; content: object };
  expect(Object.keys(content)).toEqual(["text/event-stream"]);
  for (const name of Object.keys(eventData)) expect(description).toContain(`\`${name}\``);
});
