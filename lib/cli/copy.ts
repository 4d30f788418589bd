import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { copyStore } from "#lib/indexer/verify/copy.ts";
import { chainIdentity, chainTip } from "#lib/queries/chain.ts";
import { openExistingStore, openStore, sqliteFile } from "#lib/store/open.ts";
import { closing, command, report, UsageError } from "./command.ts";

/** The file of a SQLite URL, however its path is written; other URLs as they are. */
function placeOf(url: string): string {
  const file = sqliteFile(url);
  if (file === undefined) return url;
  return existsSync(file) ? realpathSync(file) : resolve(file);
}

/** Least time between two lines of progress, in milliseconds. */
const LINE_EVERY = 2_000;

export const copy = command({
  usage: "copy FROM_URL TO_URL",
  summary: "Copy a database to another place or engine.",
  details: `Both are database URLs, such as sqlite:data/aqs.db and postgres://…. The second must be empty or an
earlier copy of the first. Existing blocks are skipped, so an interrupted copy can be resumed. Access tokens
and cursors stay valid, and access tokens made on the second database stay. Its registry and icons are
replaced, and prices are added to its own. Stop the sync of the first database during the copy. Afterwards,
run verify on the second, and compare the tips that status prints: verify cannot tell that a copy was
interrupted.`,
  takes: [2, 2, "takes two database URLs"],
  async run(_, fromUrl, toUrl) {
    if (placeOf(fromUrl) === placeOf(toUrl)) throw new UsageError("copy takes two different databases");
    await closing(openExistingStore(fromUrl, { name: "FROM_URL" }), (from) =>
      closing(openStore(toUrl, { name: "TO_URL" }), async (to) => {
        let shownAt = 0;
        const last = (await from.query(chainTip))?.height;
        const copied = await copyStore(from, to, (done, height) => {
          if (Date.now() - shownAt < LINE_EVERY) return;
          shownAt = Date.now();
          report(`${done} blocks, up to block ${height} of ${last}`);
        });
        const chain = (await from.query(chainIdentity)) === null ? "The first database holds no chain. " : "";
        report(`${chain}${copied} blocks copied; the second database now has everything that the first has.`);
      }),
    );
  },
});
