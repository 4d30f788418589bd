import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { backUp } from "#lib/testing/command-line.ts";
import { storeFirstBlock } from "#lib/testing/ledger.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres } from "#lib/testing/postgres.ts";

const binaries = postgresBinaries();

describe.skipIf(binaries === null)(`deploy/dump.sh${binaries === null ? `: ${NO_POSTGRES}` : ""}`, () => {
  test("keeps the newest dumps, which can be restored, and removes none if it fails", async () => {
    const server = startPostgres();
    const folder = mkdtempSync(join(tmpdir(), "aqs-dump-"));
    try {
      await server.run("CREATE DATABASE dumped");
      await server.run("CREATE DATABASE restored");
      const store = await openStore(server.url("dumped"));
      await storeFirstBlock(store);
      const dumps = join(folder, "du mps");
      mkdirSync(dumps);
      const env = {
        ...process.env,
        PATH: [binaries, process.env.PATH].join(delimiter),
        ...{ PGHOST: server.folder, PGUSER: "test" },
      };
      const run = (database = "dumped") => backUp("deploy/dump.sh", dumps, { ...env, PGDATABASE: database });
      const [first] = (await run()).kept;
      await run();
      const { code, kept } = await run();
      expect([code, kept]).toEqual([0, [expect.any(String), expect.any(String)]]);
      expect(kept).not.toContain(first);
      expect(await run("missing")).toEqual({ code: 1, kept });
      execFileSync("pg_restore", ["--dbname", "restored", join(dumps, kept[1]!)], { env });
      const restored = await openStore(server.url("restored"));
      expect(await verifyStore(restored)).toEqual([]);
      expect(await restored.query(chainTip)).toEqual(await store.query(chainTip));
      await restored.close();
      await store.close();
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
