import { chain } from "#chain/chain.ts";
import { issueToken } from "#lib/api/access.ts";
import { readConfig } from "#lib/config.ts";
import { loadDemo } from "#lib/ingest/demo.ts";
import { type Command, parseWords, print, report, UsageError, withStore } from "./command.ts";

export const demo: Command = {
  usage: "demo",
  summary: "Load the generated demo chain into an empty database and print what to look at.",
  details: `The chain is generated, the same every time, with real hashes and addresses.
If the database already holds it, the command only creates a new access token.`,
  async run(args) {
    if (parseWords(args, {}).positionals.length > 0) throw new UsageError("demo takes no arguments");
    const { HOST, PORT } = readConfig();
    const ledger = await chain.demo();
    const { token } = await withStore(async (store) => {
      const began = Date.now();
      const blocks = await loadDemo(store, ledger);
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      report(blocks > 0 ? `${blocks} blocks loaded in ${seconds} s.` : "The demo chain is loaded already.");
      return issueToken(store, { name: "demo", scopes: [], expiresAt: null, now: Date.now() });
    });
    const site = `http://${HOST}:${PORT}`;
    const width = Math.max(...ledger.notable.map(({ title }) => title.length));
    const pages = ledger.notable.map((notable) => {
      const path = "address" in notable ? `addresses/${notable.address}` : `blocks/${notable.blockHash}`;
      return `  ${notable.title.padEnd(width)}  ${site}/${path}`;
    });
    print([
      "",
      "Demo data: a generated chain.",
      "",
      `  Access token  ${token}`,
      `  Sign in       ${site}/sign-in`,
      "",
      "Examples:",
      ...pages,
      "",
      "The same through the API:",
      `  curl -H 'Authorization: Bearer ${token}' '${site}/v0/addresses/${ledger.busyAddress}/utxos?pageSize=2'`,
      "",
    ]);
    return 0;
  },
};
