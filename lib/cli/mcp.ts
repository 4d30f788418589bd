import { setImmediate as nextTick } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { baseUrl, readConfig } from "#lib/config.ts";
import { command, report, UsageError, wholeNumber, withSignals, wrong } from "./command.ts";
import { serveOverHttp } from "./mcp-http.ts";
import { type CallOptions, callTool, INSTRUCTIONS, MAX_MESSAGE, tools } from "./mcp-tools.ts";

const DEFAULT_PORT = 3002;

export const mcp = command({
  usage: "mcp --url URL [--http]",
  summary: "Serve the API at URL to language models, as MCP tools over stdin and stdout, or over HTTP.",
  details: `  --url URL       where the API is, without /v0, such as http://127.0.0.1:3000
  --http          serve over HTTP, until a signal comes
  --port PORT     the port with --http, by default ${DEFAULT_PORT}
  --host ADDRESS  the address with --http, by default 127.0.0.1
  --name NAME     another host name that clients may use in their URLs; may be repeated
Without --http, the access token is in the environment variable AQS_TOKEN, and the command ends when stdin ends. With --http,
each request must send its own access token, as for the API. The database is not used.`,
  options: {
    url: { type: "string" },
    http: { type: "boolean" },
    port: { type: "string" },
    host: { type: "string" },
    name: { type: "string", multiple: true },
  },
  takes: [0, 0, "takes no arguments"],
  async run({ url, http = false, port, host, name }) {
    const base = baseOf(url);
    if (http) {
      const number = wholeNumber("--port", port) ?? DEFAULT_PORT;
      if (number > 65_535) throw wrong("--port", "a port", String(number));
      const invalid = name?.find((each) => !URL.canParse(`http://${each}`));
      if (invalid !== undefined) throw wrong("--name", "a host name", invalid);
      const options = { port: number, host: host ?? "127.0.0.1", names: name ?? [] };
      return serveOverHttp((...of) => serverFor(base, ...of), options);
    }
    if (port ?? host ?? name) throw new UsageError("--port, --host and --name need --http");
    const { AQS_TOKEN } = readConfig();
    if (AQS_TOKEN === undefined) throw new UsageError("mcp needs an access token in AQS_TOKEN");
    const calls = new Set<Promise<unknown>>();
    await serveOverStdio(serverFor(base, AQS_TOKEN, undefined, calls), calls);
  },
});

function baseOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError("mcp needs --url");
  const { data, error } = baseUrl.safeParse(text);
  if (error) throw new UsageError(`--url: ${error.issues[0]?.message}`);
  return data;
}

/** @param calls collects the calls in progress */
function serverFor(
  base: string,
  token: string,
  options?: CallOptions,
  calls?: Set<Promise<unknown>>,
): Server {
  const server = new Server(
    { name: "asset-query-service", version: "0" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  const respond = async ({ params }: CallToolRequest): Promise<CallToolResult> => {
    try {
      const text = await callTool(base, token, params.name, params.arguments ?? {}, options);
      return { content: [{ type: "text", text }] };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: "text", text }], isError: true };
    }
  };
  server.setRequestHandler(CallToolRequestSchema, (request) => {
    const call = respond(request);
    calls?.add(call);
    return call.finally(() => calls?.delete(call));
  });
  return server;
}

/** Serves until the client closes stdin and has the responses to its calls, or a signal comes. */
async function serveOverStdio(server: Server, calls: ReadonlySet<Promise<unknown>>): Promise<void> {
  const { stdin, stdout } = process;
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    // A message that is no request, for example, has no id to respond to.
    server.onerror = ({ message }) => report(message);
    stdin.once("end", resolve).once("close", resolve);
  });
  await withSignals(
    () => void server.close(),
    async () => {
      await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE }));
      await closed;
      // The last requests become calls, and their results responses, before the next tick.
      await nextTick();
      await Promise.all(calls);
      await nextTick();
      await server.close();
    },
  );
}
