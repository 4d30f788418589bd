import { spawn } from "node:child_process";
import { once } from "node:events";
import { issueToken } from "#lib/api/access-tokens.ts";
import { chain } from "#lib/chains/chain.ts";
import { readConfig, setGiven } from "#lib/config.ts";
import { demoOfChain } from "#lib/demo/demo.ts";
import { followDemo, loadDemo, loadNodeDemo } from "#lib/demo/load.ts";
import type { DemoGuide, DemoNode } from "#lib/demo/types.ts";
import { chainIdentity } from "#lib/queries/chain.ts";
import type { Store } from "#lib/store/store.ts";
import { closing, print, report, withNewStore, withSignals, withSyncLock } from "./command.ts";

/** Requests per minute of all guests together. */
const GUEST_RATE = 1_200;

interface DemoOptions {
  serve?: boolean | undefined;
  still?: boolean | undefined;
  build?: boolean | undefined;
}

/** Loads the demo of the chain that the setting CHAIN names, and with `serve` also serves it. Resolves to the exit code. */
export async function runDemo({ serve, still, build }: DemoOptions): Promise<number> {
  if (!serve) return withNewStore((store) => closing(load(store), async () => 0));
  const stop = new AbortController();
  const { signal } = stop;
  const run = async () => {
    const built = async (store: Store) => {
      await refuseOtherChain(store);
      if (!readConfig().GUEST_TOKEN) setGiven({ GUEST_TOKEN: await issue(store, "guest", GUEST_RATE) });
      return build ? runScript("build", signal) : 0;
    };
    // The lock comes before any change, because a running demo must not lose its chain.
    if (!still) {
      return withNewStore((store) =>
        withSyncLock(store, async () => (await built(store)) || live(store, signal)),
      );
    }
    const code = await withNewStore(
      async (store) => (await built(store)) || closing(load(store), async () => 0),
    );
    return code || runScript("start", signal);
  };
  return withSignals(() => stop.abort(), run);
}

/** Creates an access token with all scopes. */
async function issue(store: Store, name: string, ratePerMinute: number | null = null): Promise<string> {
  const issued = { name, scopes: [], expiresAt: null, now: Date.now(), ratePerMinute };
  return (await issueToken(store, issued)).token;
}

async function refuseOtherChain(store: Store): Promise<void> {
  const identity = await store.query(chainIdentity);
  if (!identity || identity.demo) return;
  throw new Error(`This database holds ${identity.network}; the demo chain cannot be mixed into it`);
}

/** Runs the server and the node side by side; if one ends, so does the other. Resolves to the exit code. */
function live(store: Store, signal: AbortSignal): Promise<number> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  return closing(load(store, Date.now()), (miner) =>
    closing(connectTo(miner, ended), async (node) => {
      const following = followDemo(store, miner, node, {
        signal: ended,
        log: (message) => report(`${new Date().toISOString()} ${message}`),
      }).finally(() => stop.abort());
      // It may fail while the server still stops, and is awaited below.
      following.catch(() => {});
      const code = await runScript("start", ended).finally(() => stop.abort());
      await following;
      return code;
    }),
  );
}

const connectTo = ({ url, cookie }: DemoNode, signal?: AbortSignal) =>
  chain.node.connect(url, { signal, cookie });

/** Loads the demo, and prints pages to look at. Resolves to its node. For `endsAt`, see `GenerateDemo`. */
async function load(store: Store, endsAt?: number): Promise<DemoNode> {
  const demo = await demoOfChain();
  if ("generate" in demo) {
    const ledger = demo.generate(endsAt);
    await introduce(store, ledger, () => loadDemo(store, ledger));
    return ledger.startNode();
  }
  const { node, ...guide } = await demo.start(Date.now());
  try {
    await introduce(store, guide, () =>
      closing(connectTo(node), (source) => loadNodeDemo(store, source, guide)),
    );
    return node;
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Runs a script of package.json until it ends or the signal aborts. Resolves to the exit code. */
async function runScript(name: "build" | "start", signal: AbortSignal): Promise<number> {
  if (signal.aborted) return 0;
  // The script gets its own process group, because Ctrl-C in a terminal must not reach the server twice.
  const script = spawn("sh", ["deploy/run.sh", name], { stdio: "inherit", detached: true });
  const stop = () => void script.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const [code] = await once(script, "exit");
  signal.removeEventListener("abort", stop);
  return signal.aborted ? 0 : (code ?? 1);
}

async function introduce(store: Store, guide: DemoGuide, load: () => Promise<number>): Promise<void> {
  const { BASE_PATH, HOST, PORT } = readConfig();
  const began = Date.now();
  const blocks = await load();
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  report(blocks > 0 ? `${blocks} blocks loaded in ${seconds} s.` : "The demo chain is loaded already.");
  const token = await issue(store, "demo");
  const site = `http://${HOST}:${PORT}${BASE_PATH}`;
  const width = Math.max(...guide.notable.map(({ title }) => title.length));
  const pages = guide.notable.map((notable) => {
    const path = "address" in notable ? `addresses/${notable.address}` : `blocks/${notable.blockHash}`;
    return `  ${notable.title.padEnd(width)}  ${site}/${path}`;
  });
  print([
    "",
    "Demo data: nothing on this chain is real money.",
    "",
    `  Access token  ${token}`,
    `  Dashboard     ${site}`,
    "",
    "Examples:",
    ...pages,
    "",
    "The same through the API:",
    `  curl -H 'Authorization: Bearer ${token}' '${site}/v0/addresses/${guide.busyAddress}/utxos?pageSize=2'`,
    "",
  ]);
}
