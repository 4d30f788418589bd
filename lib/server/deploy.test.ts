import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (file: string) => readFileSync(file, "utf8");
const all = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, found]) => found!);

test("compose passes on every setting that is documented, and no other", () => {
  const documented = new Set(all(read(".env.example"), /^([A-Z_]+)=/gm));
  const [, settings = ""] = /^x-settings: &settings\n((?: {2}.*\n)+)/m.exec(read("compose.yaml")) ?? [];
  const passed = all(settings, /^ {2}([A-Z_]+): /gm);
  expect(new Set([...passed, "RPC_URL"])).toEqual(documented);
  expect(read("compose.yaml")).toMatch(/RPC_URL: \$\{RPC_URL:\?\}/);
});

test("compose runs the version of PostgreSQL that is documented as tested", () => {
  const [, tested = ""] = /^## What was tested$(.*)/ms.exec(read("docs/deploying.md")) ?? [];
  const versions = all(tested, /PostgreSQL (\d+)/g);
  expect(versions).toEqual(all(read("compose.yaml"), /image: .*postgres:(\d+)/g));
});

test("the units start the program itself, so that signals reach it", () => {
  for (const file of globSync("deploy/*.service")) {
    const unit = read(file);
    expect(all(unit, /^ExecStart=(\S+)/gm), file).toEqual([
      expect.stringMatching(/^\/opt\/aqs\/deploy\/(run|backup)\.sh$/),
    ]);
    expect(unit, file).not.toMatch(/npm/);
  }
  expect(read("deploy/aqs-server.service")).toContain("\nExecReload=/bin/kill -USR2 $MAINPID\n");
  expect(read("deploy/backup.sh")).not.toMatch(/npm/);
});

test("no message names npm, which the image lacks, but where an image cannot show it", () => {
  const allowed = [
    // It chooses between npm and the image's own command.
    "lib/util/program.ts",
    // An image has a build, and the right Node.
    "lib/server/build.ts",
    "lib/server/production.ts",
  ];
  const files = globSync("{lib,app,components}/**/*.{ts,tsx}", {
    exclude: ["**/*.test.*", "lib/testing/**"],
  });
  const naming = files.filter((file) =>
    read(file)
      .split("\n")
      .some((line) => /npm (run|start)/.test(line) && !/^\s*(\/\*\*|\*|\/\/) /.test(line)),
  );
  expect(naming.filter((file) => !allowed.includes(file))).toEqual([]);
});
