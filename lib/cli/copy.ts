import { copyStore } from "#lib/ingest/copy.ts";
import { chainIdentity, chainTip } from "#lib/questions/chain.ts";
import { openExistingStore, openStore } from "#lib/store/open.ts";
import { type Command, parseWords, report, UsageError } from "./command.ts";

/** Least time between two lines of progress, in milliseconds. */
const LINE_EVERY = 2_000;

export const copy: Command = {
  usage: "copy FROM_URL TO_URL",
  summary: "Move a database to another place or engine.",
  details: `Both are database URLs, such as sqlite:data/aqs.db and postgres://…. The second must be empty or an
earlier copy of the first. Existing blocks are skipped, so an interrupted copy can be resumed. Access tokens
and cursors stay valid, and access tokens made on the second database stay. Its registry and icons are
replaced. Stop the sync of the first database during the copy, and run verify on the second
afterwards.`,
  async run(args) {
    const { positionals } = parseWords(args, {});
    const [fromUrl, toUrl] = positionals;
    if (positionals.length !== 2 || fromUrl === undefined || toUrl === undefined) {
      throw new UsageError("copy takes two database URLs");
    }
    if (fromUrl === toUrl) throw new UsageError("copy takes two different databases");
    const from = await openExistingStore(fromUrl);
    try {
      const to = await openStore(toUrl);
      try {
        let shownAt = 0;
        const last = (await from.ask(chainTip))?.height;
        const copied = await copyStore(from, to, (done, height) => {
          if (Date.now() - shownAt < LINE_EVERY) return;
          shownAt = Date.now();
          report(`${done} blocks, up to block ${height} of ${last}`);
        });
        const chain = (await from.ask(chainIdentity)) === null ? "The first database holds no chain. " : "";
        report(`${chain}${copied} blocks copied; the second database now holds what the first does.`);
        return 0;
      } finally {
        await to.close();
      }
    } finally {
      await from.close();
    }
  },
};
