/** A real Litecoin node on a chain of its own, which mines when it is told to. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#lib/util/free-port.ts";

/** The binary of Debian's package. The one in the path is a script that writes into the home folder. */
const PROGRAM = "/usr/lib/litecoin/litecoind";
export const hasLitecoind = existsSync(PROGRAM);
export const NO_LITECOIND = "needs litecoind: apt-get install --no-install-recommends litecoind";

/** Extension blocks are off, because the first block with one must contain a payment into it. */
export const WITHOUT_MWEB = "vbparams=mweb:9999999990:9999999999";
/** The node's clock begins here, in seconds since the Unix epoch. */
export const BEGINNING = 1_700_000_000;

const SETTINGS = [
  ..."regtest=1 server=1 dnsseed=0 par=1 dbcache=16 acceptnonstdtxn=1".split(" "),
  ..."minrelaytxfee=0 dustrelayfee=0 blockmintxfee=0 fallbackfee=0.0002".split(" "),
];

export class Litecoind implements AsyncDisposable {
  /** The value for `--rpc`. */
  readonly url: string;
  /** A file that is written at each start. */
  readonly cookie: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "litecoind-"));
  #process: ChildProcess | undefined;

  private constructor(port: number, settings: string[]) {
    this.url = `http://127.0.0.1:${port}/`;
    this.cookie = join(this.#folder, "regtest/.cookie");
    const lines = [...SETTINGS, ...settings, "[regtest]", "listen=0", `rpcport=${port}`];
    writeFileSync(join(this.#folder, "litecoin.conf"), `${lines.join("\n")}\n`);
  }

  /** @param settings lines of its configuration, in addition to those of every node here */
  static async start(...settings: string[]): Promise<Litecoind> {
    const node = new Litecoind(await freePort(), settings);
    await node.restart();
    return node;
  }

  /**
   * Ends it in order, if it runs, and starts it, with a new cookie.
   * @param time of its clock, which may not be earlier than its blocks
   */
  async restart(time = BEGINNING): Promise<void> {
    await this.#end("SIGTERM");
    // However this process ends, the node ends with it.
    const args = ["--pdeathsig=KILL", PROGRAM, `-datadir=${this.#folder}`, "-printtoconsole=0"];
    const started = spawn("setpriv", [...args, `-mocktime=${time}`], { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = started;
    let log = "";
    started.stderr.on("data", (text) => {
      log += text;
    });
    for (;;) {
      try {
        await this.call("getblockcount");
        return;
      } catch (error) {
        if (started.exitCode !== null) {
          await this[Symbol.asyncDispose]();
          throw new Error(`litecoind does not start: ${log || error}`);
        }
      }
      // The node does not report when it is ready.
      await setTimeout(50);
    }
  }

  /** Throws with the node's message if it refuses the call. */
  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const cookie = readFileSync(this.cookie, "utf8");
    const response = await fetch(this.url, {
      method: "POST",
      headers: { Authorization: `Basic ${Buffer.from(cookie).toString("base64")}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error: { message: string } | null };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Makes a descriptor of any script, which some calls accept in place of an address. */
  async descriptorOf(script: string): Promise<string> {
    const { descriptor } = await this.call<{ descriptor: string }>("getdescriptorinfo", `raw(${script})`);
    return descriptor;
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
