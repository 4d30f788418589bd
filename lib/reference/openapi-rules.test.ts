import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import examples from "#lib/chains/ckb/examples.json" with { type: "json" };
import { openApiDocument } from "./openapi.ts";

test("Redocly's recommended-strict rules and more find nothing in the description", async () => {
  const more = [
    "component-name-unique",
    "info-contact",
    "operation-description",
    "operation-singular-tag",
    "operation-tag-defined",
    "parameter-description",
    "tags-alphabetical",
  ];
  const rules = Object.fromEntries(more.map((rule) => [rule, "error" as const]));
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const source = JSON.stringify(openApiDocument(examples), null, 2);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});
