import { chain } from "#lib/chains/chain.ts";
import { readConfig } from "#lib/config.ts";
import { parseRemoteUrl } from "#lib/contract/source.ts";
import { readInput } from "#lib/indexer/input.ts";
import { report, UsageError, wrong } from "./command.ts";

const MAX_FILE_BYTES = 10_000;

const { node } = chain;

export const nodeOptions = {
  rpc: { type: "string" },
  "rpc-file": { type: "string" },
  ...(node.hasCookie && { "rpc-cookie": { type: "string" } }),
} as { [Name in "rpc" | "rpc-file" | "rpc-cookie"]: { type: "string" } };

export const NODE_HELP = `  --rpc URL                 ${node.help}
  --rpc-file FILE           a file with the URL, if it has a password. The setting RPC_URL also works${
    node.hasCookie
      ? `
  --rpc-cookie FILE         the file .cookie with the node's password, which is read again after each start of the node`
      : ""
  }`;

type NodeOptions = { rpc?: string | undefined; "rpc-file"?: string | undefined };

/** Returns the node's URL from the options or the setting RPC_URL; undefined if there is none. Throws UsageError. */
export async function readNodeUrl({ rpc, "rpc-file": file }: NodeOptions): Promise<string | undefined> {
  if (rpc !== undefined && file !== undefined) throw new UsageError("Give either --rpc or --rpc-file");
  if (rpc !== undefined) {
    const url = new URL(httpUrl("--rpc", rpc));
    if (url.username !== "" || url.password !== "")
      report(
        "Every user of this machine can read the password in --rpc. Use --rpc-file or the setting RPC_URL instead.",
      );
    return rpc;
  }
  const text = file === undefined ? readConfig().RPC_URL : (await readInput(file, MAX_FILE_BYTES)).trim();
  if (text === undefined) return undefined;
  if (!isHttpUrl(text)) throw new UsageError(`${file ?? "RPC_URL"} does not hold an http or https URL`);
  return decodable(file ?? "RPC_URL", text);
}

export function httpUrl(name: string, text: string): string {
  if (!isHttpUrl(text)) throw wrong(name, "an http or https URL", text);
  return decodable(name, text);
}

function decodable(name: string, url: string): string {
  try {
    parseRemoteUrl(url);
  } catch {
    // The message must not show the password.
    throw new UsageError(`${name}: in the user and the password of a URL, write % as %25`);
  }
  return url;
}

const isHttpUrl = (text: string): boolean => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "");
