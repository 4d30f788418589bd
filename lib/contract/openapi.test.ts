import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { endpoints } from "./endpoints.ts";
import { errorTable } from "./errors.ts";
import { eventData, events } from "./events.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument();

test("the description names each operation with its parameters, scope and every status it may answer with", () => {
  for (const endpoint of Object.values(endpoints)) {
    const operation = document.paths![endpoint.path]!.get!;
    const names = operation.parameters!.map((parameter) => ("name" in parameter ? parameter.name : ""));
    expect(names.sort()).toEqual(
      [...Object.keys(endpoint.params.shape), ...Object.keys(endpoint.query.shape)].sort(),
    );
    expect(operation.security).toEqual([{ accessToken: [endpoint.scope] }]);
    const statuses = endpoint.errors.map((code) => String(errorTable[code].status));
    expect(Object.keys(operation.responses!).sort()).toEqual(["200", "304", ...statuses].sort());
  }
});

test("numbers are described as the numbers they are", () => {
  const parameters = document.paths![endpoints.addressUtxos.path]!.get!.parameters!;
  const pageSize = parameters.find((parameter) => "name" in parameter && parameter.name === "pageSize");
  expect(pageSize).toMatchObject({ schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 } });
  expect(JSON.stringify(document)).toContain('"amount":{"description"');
});

type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
};

test("docs/api.md names every operation, parameter and field", () => {
  const docs = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const namesOf = (schema: z.ZodType): string[] => {
    if (schema instanceof z.ZodArray) return namesOf(schema.element as z.ZodType);
    if (!(schema instanceof z.ZodObject)) return [];
    return Object.entries(schema.shape).flatMap(([name, field]) => [name, ...namesOf(field as z.ZodType)]);
  };
  for (const { path, params, query, response } of Object.values(endpoints)) {
    expect(docs).toContain(`GET ${path}`);
    const names = [params, query, response].flatMap(namesOf);
    expect(names.filter((name) => !new RegExp(`["\`{]${name}["\`}]`).test(docs))).toEqual([]);
  }
});

test("every field of an answer says what it means", () => {
  const schemas = document.components!.schemas as Record<string, Schema>;
  const mute = (path: string, schema: Schema): string[] => {
    if (schema.$ref) return mute(path, schemas[schema.$ref.split("/").at(-1)!]!);
    if (schema.items) return mute(`${path}[]`, schema.items);
    const fields = Object.entries(schema.properties ?? {});
    if (fields.length === 0) return schema.description ? [] : [path];
    return fields.flatMap(([name, field]) => mute(`${path}.${name}`, field));
  };
  for (const { path } of Object.values(endpoints)) {
    const answer = document.paths![path]!.get!.responses!["200"] as {
      content: { "application/json": { schema: Schema } };
    };
    expect(mute(path, answer.content["application/json"].schema)).toEqual([]);
  }
});

test("the stream of events is described with every event, here and in docs/api.md", () => {
  const operation = document.paths![events.path]!.get!;
  const names = operation.parameters!.map((parameter) => ("name" in parameter ? parameter.name : ""));
  expect(names.sort()).toEqual(["Last-Event-ID", "address"]);
  const { description, content } = operation.responses!["200"] as { description: string; content: object };
  expect(Object.keys(content)).toEqual(["text/event-stream"]);
  const docs = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  expect(docs).toContain(`GET ${events.path}`);
  for (const [name, data] of Object.entries(eventData)) {
    expect(description).toContain(`\`${name}\``);
    expect(docs).toContain(`| \`${name}\` | \`{ ${Object.keys(data.shape).join(", ")} }\` |`);
  }
});
