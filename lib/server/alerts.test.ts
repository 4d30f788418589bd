import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PROMTOOL = "/usr/bin/promtool";

test.skipIf(!existsSync(PROMTOOL))("each alert fires for its reason, and none while all is well", () => {
  const output = execFileSync(PROMTOOL, ["test", "rules", "deploy/alerts.test.yml"], { encoding: "utf8" });
  expect(output).toContain("SUCCESS");
});

test("each alert has a test", () => {
  const namesIn = (file: string, form: RegExp) =>
    new Set([...readFileSync(file, "utf8").matchAll(form)].map(([, name]) => name));
  const tested = namesIn("deploy/alerts.test.yml", /alertname="(\w+)"/g);
  expect(tested).toEqual(namesIn("deploy/alerts.yml", /- alert: (\w+)/g));
});
