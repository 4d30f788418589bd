import { given, readConfig, setGiven } from "#lib/config.ts";
import { demoChains } from "#lib/demo/demo.ts";
import { requirePorts } from "#lib/util/free-port.ts";
import { command, oneOf, UsageError } from "./command.ts";

/** npm sets these if `--` is missing, as in `npm run demo --still`. */
const SWALLOWED = ["chain", "still", "serve"].map((name) => `npm_config_${name}`);

export const demo = command({
  usage: "demo [--chain NAME] [--serve [--still] [--build]]",
  summary: "Load the demo chain into an empty database and print what to look at.",
  details: `The chain is generated, the same every time, with real hashes and addresses; or it is mined by a real node.
If the database already holds it, the command only creates a new access token.

  --chain NAME  ${demoChains.join(" or ")}; by default the setting CHAIN
  --serve       also serve the pages and the API, with a chain that reaches the present and keeps growing:
                a block every few seconds, sometimes a reorganisation, and prices that move
  --still       with --serve: the chain stays as it was generated
  --build       with --serve: first build the pages; unless DATABASE_URL is set, use a database of its own

Ctrl-C and SIGTERM end everything. A database that holds another demo chain gets the new one instead; its access
tokens stay.`,
  options: {
    chain: { type: "string" },
    serve: { type: "boolean" },
    still: { type: "boolean" },
    build: { type: "boolean" },
  },
  takes: [0, 0, "takes no arguments; npm needs -- before options"],
  async run({ chain, ...values }) {
    if (SWALLOWED.some((name) => given(name) !== "")) {
      throw new UsageError("npm takes these options as its own: put -- before them");
    }
    if (!values.serve && (values.still ?? values.build)) {
      throw new UsageError(`--${values.still ? "still" : "build"} is for --serve`);
    }
    if (chain !== undefined) setGiven({ CHAIN: oneOf("--chain", demoChains, chain) });
    if (values.build) {
      const name = given("CHAIN") ? `demo-${given("CHAIN")}` : "demo";
      setGiven({
        DATABASE_URL: given("DATABASE_URL") || `sqlite:data/${name}.db`,
        LOG_LEVEL: given("LOG_LEVEL") || "warn",
      });
    }
    const { HOST, PORT, METRICS_PORT } = readConfig();
    if (values.serve) await requirePorts(HOST, { PORT, METRICS_PORT });
    // The chain is chosen when this module is first imported.
    const { runDemo } = await import("./run-demo.ts");
    return runDemo(values);
  },
});
