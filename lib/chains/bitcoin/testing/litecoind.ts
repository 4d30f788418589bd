/** A real Litecoin node on a chain of its own, which mines when it is told to. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#lib/testing/free-port.ts";

/** Of Debian's package. The one in the path is a script that writes into the home folder. */
const PROGRAM = "/usr/lib/litecoin/litecoind";
export const hasLitecoind = existsSync(PROGRAM);
export const NO_LITECOIND = "needs litecoind: apt-get install --no-install-recommends litecoind";
const STARTS_WITHIN = 30_000;

const SETTINGS = [
  ..."regtest=1 server=1 txindex=1 dnsseed=0 par=1 dbcache=16 acceptnonstdtxn=1".split(" "),
  ..."minrelaytxfee=0 dustrelayfee=0 blockmintxfee=0 fallbackfee=0.0002".split(" "),
];

export class Litecoind implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "litecoind-"));
  readonly #port: number;
  readonly #process: ChildProcess;
  #log = "";

  private constructor(port: number) {
    this.#port = port;
    const lines = [...SETTINGS, "[regtest]", "listen=0", `rpcport=${port}`];
    writeFileSync(join(this.#folder, "litecoin.conf"), `${lines.join("\n")}\n`);
    const args = [`-datadir=${this.#folder}`, "-printtoconsole=0", "-mocktime=1700000000"];
    this.#process = spawn(PROGRAM, args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#process.stderr!.on("data", (text) => {
      this.#log += text;
    });
  }

  static async start(): Promise<Litecoind> {
    const node = new Litecoind(await freePort());
    const end = Date.now() + STARTS_WITHIN;
    for (;;) {
      try {
        await node.call("getblockcount");
        return node;
      } catch (error) {
        if (node.#process.exitCode !== null || Date.now() > end) {
          await node[Symbol.asyncDispose]();
          throw new Error(`litecoind does not start: ${node.#log || error}`);
        }
      }
      // Nothing tells of the moment from which it answers.
      await setTimeout(50);
    }
  }

  /** Throws with the node's message if it refuses the call. */
  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const cookie = readFileSync(join(this.#folder, "regtest/.cookie"), "utf8");
    const response = await fetch(`http://127.0.0.1:${this.#port}/`, {
      method: "POST",
      headers: { Authorization: `Basic ${Buffer.from(cookie).toString("base64")}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error: { message: string } | null };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** What `method` takes in place of an address: any script. */
  async descriptorOf(script: string): Promise<string> {
    const { descriptor } = await this.call<{ descriptor: string }>("getdescriptorinfo", `raw(${script})`);
    return descriptor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      this.#process.kill("SIGKILL");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
