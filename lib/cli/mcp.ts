import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { baseUrl, readConfig } from "#lib/config.ts";
import { command, UsageError, withSignals } from "./command.ts";
import { callTool, INSTRUCTIONS, tools } from "./mcp-tools.ts";

const MAX_MESSAGE = 1024 * 1024;

export const mcp = command({
  usage: "mcp --url URL",
  summary: "Serve the API at URL to a language model, as MCP tools over stdin and stdout.",
  details: `  --url URL   where the API is, without /v0, such as http://127.0.0.1:3000
The access token is in the environment variable AQS_TOKEN. The database is not used. Ends when stdin ends.`,
  options: { url: { type: "string" } },
  takes: [0, 0, "takes no arguments"],
  async run({ url }) {
    const base = baseOf(url);
    const { AQS_TOKEN } = readConfig();
    if (AQS_TOKEN === undefined) throw new UsageError("mcp needs an access token in AQS_TOKEN");
    await serve(base, AQS_TOKEN);
  },
});

function baseOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError("mcp needs --url");
  const { data, error } = baseUrl.safeParse(text);
  if (error) throw new UsageError(`--url: ${error.issues[0]?.message}`);
  return data;
}

/** Serves until the client closes stdin or a signal comes. */
async function serve(base: string, token: string): Promise<void> {
  const server = new Server(
    { name: "asset-query-service", version: "0" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      const text = await callTool(base, token, params.name, params.arguments ?? {});
      return { content: [{ type: "text", text }] };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: "text", text }], isError: true };
    }
  });
  const { stdin, stdout } = process;
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    stdin.once("end", resolve).once("close", resolve);
  });
  await withSignals(
    () => void server.close(),
    async () => {
      await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE }));
      await closed;
      await server.close();
    },
  );
}
