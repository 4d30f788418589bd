import { issueToken } from "#lib/api/access.ts";
import { demoChain } from "#lib/chains/ckb/demo/demo-chain.ts";
import { readConfig } from "#lib/config.ts";
import { loadDemo } from "#lib/ingest/demo.ts";
import { type Command, parseWords, print, report, UsageError, withStore } from "./command.ts";

export const demo: Command = {
  usage: "demo",
  summary: "Load the generated demo chain into an empty database and print what to look at.",
  details: `The chain is made, not mined: real hashes, scripts and addresses in testnet's form, the same every time.
On a database that holds it already, only a new access token is made.`,
  async run(args) {
    if (parseWords(args, {}).positionals.length > 0) throw new UsageError("demo takes no words");
    const { HOST, PORT } = readConfig();
    const chain = demoChain();
    const { token } = await withStore(async (store) => {
      const began = Date.now();
      const blocks = await loadDemo(store, chain);
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      report(blocks > 0 ? `${blocks} blocks loaded in ${seconds} s.` : "The demo chain is loaded already.");
      return issueToken(store, { name: "demo", scopes: [], expiresAt: null, now: Date.now() });
    });
    const { notable } = chain;
    const site = `http://${HOST}:${PORT}`;
    print(
      [
        "",
        "Demo data: a generated chain.",
        "",
        `  Access token  ${token}`,
        `  Sign in       ${site}/sign-in`,
        "",
        "Worth opening:",
        `  20,000 outputs of one address   ${site}/addresses/${notable.busyAddress}`,
        `  a block that moves many assets  ${site}/blocks/${notable.busyBlockHash}`,
        `  a token and its look-alike      ${site}/addresses/${notable.lookAlikeAddress}`,
        "",
        "The same through the API:",
        `  curl -H 'Authorization: Bearer ${token}' '${site}/v0/addresses/${notable.busyAddress}/utxos?pageSize=2'`,
        "",
      ].join("\n"),
    );
    return 0;
  },
};
