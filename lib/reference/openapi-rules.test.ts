import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import examples from "#chain/examples.json" with { type: "json" };
import { openApiDocument } from "./openapi.ts";

const text = JSON.stringify(openApiDocument(examples), null, 2);

test("Redocly's recommended-strict rules find nothing in the description", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});

test("Spectral's OpenAPI rules find nothing in the description", async () => {
  // The types of Spectral's packages do not fit each other.
  const oas = rulesets.oas as RulesetDefinition;
  const linter = new spectral.Spectral();
  // There is no address that every operator's users could write to.
  linter.setRuleset({ extends: [[oas, "all"]], rules: { "contact-properties": "off" } });
  const problems = await linter.run(text);
  expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`)).toEqual([]);
});
