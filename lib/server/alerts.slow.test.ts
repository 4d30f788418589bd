import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PROMTOOL = "/usr/bin/promtool";

test.skipIf(!existsSync(PROMTOOL))("each alert fires for its reason, and none while all is well", () => {
  const output = execFileSync(PROMTOOL, ["test", "rules", "deploy/alerts.test.yml"], { encoding: "utf8" });
  expect(output).toContain("SUCCESS");
});

test.skipIf(!existsSync(PROMTOOL))("the sample configuration of Prometheus is valid, with its rules", () => {
  const output = execFileSync(PROMTOOL, ["check", "config", "deploy/prometheus.yml"], { encoding: "utf8" });
  expect(output).toMatch(
    /SUCCESS: 1 rule files found[\s\S]*prometheus\.yml is valid[\s\S]*SUCCESS: \d+ rules found/,
  );
});

test("the sample configuration names the jobs that the alerts watch", () => {
  const jobs = [...readFileSync("deploy/prometheus.yml", "utf8").matchAll(/job_name: (\S+)/g)].map(
    ([, job]) => job,
  );
  const watched = readFileSync("deploy/alerts.yml", "utf8").match(/aqs-(server|sync)(?=[|"])/g);
  expect(jobs).toEqual(expect.arrayContaining([...new Set(watched)]));
});

test("each alert has a test", () => {
  const namesIn = (file: string, form: RegExp) =>
    new Set([...readFileSync(file, "utf8").matchAll(form)].map(([, name]) => name));
  const tested = namesIn("deploy/alerts.test.yml", /alertname(?:="|: )(\w+)/g);
  expect(tested).toEqual(namesIn("deploy/alerts.yml", /- alert: (\w+)/g));
});
