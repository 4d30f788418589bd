/** The commands of `aqs`, and their help. */
import { aqs } from "#lib/util/program.ts";
import { type Command, print, report, UsageError } from "./command.ts";

/** Each command is imported only when it is called, so that the command line starts quickly. */
const commands: Record<string, () => Promise<Command>> = {
  migrate: async () => (await import("./migrate.ts")).migrate,
  import: async () => (await import("./import.ts")).importBlocks,
  sync: async () => (await import("./sync.ts")).syncChain,
  "assets load": async () => (await import("./assets.ts")).assetsLoad,
  "prices load": async () => (await import("./prices.ts")).pricesLoad,
  "prices list": async () => (await import("./prices.ts")).pricesList,
  "prices remove": async () => (await import("./prices.ts")).pricesRemove,
  "token create": async () => (await import("./token.ts")).tokenCreate,
  "token list": async () => (await import("./token.ts")).tokenList,
  "token rotate": async () => (await import("./token.ts")).tokenRotate,
  "token revoke": async () => (await import("./token.ts")).tokenRevoke,
  demo: async () => (await import("./demo.ts")).demo,
  export: async () => (await import("./export.ts")).exportOutputs,
  backup: async () => (await import("./backup.ts")).backupDatabase,
  restore: async () => (await import("./backup.ts")).restoreDatabase,
  mcp: async () => (await import("./mcp.ts")).mcp,
  copy: async () => (await import("./copy.ts")).copy,
  status: async () => (await import("./status.ts")).status,
  revert: async () => (await import("./revert.ts")).revert,
  verify: async () => (await import("./verify.ts")).verify,
};

const HELP = ["--help", "-h", "help"];

async function overview(prefix = ""): Promise<string[]> {
  const names = Object.keys(commands).filter((name) => name.startsWith(prefix));
  const loaded = await Promise.all(names.map((name) => commands[name]!()));
  const width = Math.max(...loaded.map((command) => command.usage.length));
  const lines = loaded.map((command) => `  ${command.usage.padEnd(width)}  ${command.summary}`);
  return [
    `Usage: ${aqs("COMMAND …")}`,
    "",
    ...lines,
    "",
    "DATABASE_URL chooses the database (default sqlite:data/aqs.db).",
    "Exit codes: 0 success, 1 failure, 2 wrong usage. See `COMMAND --help` for details.",
  ];
}

function help(command: Command): string[] {
  const lines = [`Usage: ${aqs(command.usage)}`, "", command.summary];
  if (command.details) lines.push("", ...command.details.split("\n"));
  return lines;
}

/** Runs a command. Resolves to the exit code: 0 success, 1 failure, 2 wrong usage. Throws what the command throws. */
export async function run(words: string[]): Promise<number> {
  const [first, second = ""] = words;
  if (first === undefined || HELP.includes(first)) {
    (first === undefined ? report : print)(await overview());
    return first === undefined ? 2 : 0;
  }
  const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(commands, candidate));
  if (name === undefined) {
    const isGroup = Object.keys(commands).some((candidate) => candidate.startsWith(`${first} `));
    if (isGroup && HELP.includes(second)) {
      print(await overview(`${first} `));
      return 0;
    }
    report([`Unknown command: ${isGroup ? `${first} ${second}`.trim() : first}`, "", ...(await overview())]);
    return 2;
  }
  const command = await commands[name]!();
  const args = words.slice(name.split(" ").length);
  if (args.some((word) => word === "--help" || word === "-h")) {
    print(help(command));
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    report([error.message, "", ...help(command)]);
    return 2;
  }
}
