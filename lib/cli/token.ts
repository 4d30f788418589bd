import { issueToken } from "#lib/api/access.ts";
import { type Scope, scopes } from "#lib/contract/endpoints.ts";
import { type Command, parseWords, print, report, UsageError, withStore } from "./command.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90d`, `12h`, `30m`, `2w` → milliseconds. */
function parseDuration(text: string): number {
  const match = /^([1-9]\d{0,5})([mhdw])$/.exec(text);
  if (!match)
    throw new UsageError(`--expires is a number and m, h, d or w, such as 90d, not ${JSON.stringify(text)}`);
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

function parseScope(text: string): Scope {
  const scope = scopes.find((known) => known === text);
  if (!scope) throw new UsageError(`--scope is ${scopes.join(" or ")}, not ${JSON.stringify(text)}`);
  return scope;
}

export const tokenCreate: Command = {
  usage: "token create --name N [--scope S]… [--expires 90d]",
  summary: "Print a new access token, once.",
  details: `  --name N       what the token is for
  --scope S      ${scopes.join(" or ")}; can be repeated; both by default
  --expires 90d  how long it is valid: a number and m, h, d or w; by default, until it is revoked`,
  async run(args) {
    const { values, positionals } = parseWords(args, {
      name: { type: "string" },
      scope: { type: "string", multiple: true },
      expires: { type: "string" },
    });
    if (positionals.length > 0) throw new UsageError(`Unexpected: ${positionals.join(" ")}`);
    const name = values.name?.trim();
    if (!name) throw new UsageError("token create needs --name");
    if (/\p{C}/u.test(name))
      throw new UsageError(`--name is one line of plain text, not ${JSON.stringify(name)}`);
    const now = Date.now();
    const wanted = [...new Set((values.scope ?? []).map(parseScope))];
    const expiresAt = values.expires === undefined ? null : now + parseDuration(values.expires);
    const { token, record } = await withStore((store) =>
      issueToken(store, { name, scopes: wanted, expiresAt, now }),
    );
    report(`Token ${record.id} for ${record.scopes.join(", ")}. It is shown only once:`);
    print(token);
    return 0;
  },
};

const day = (time: number | null) => (time === null ? "-" : new Date(time).toISOString().slice(0, 16));

export const tokenList: Command = {
  usage: "token list",
  summary: "List the access tokens: id, name, scopes, times and last four characters.",
  async run(args) {
    if (parseWords(args, {}).positionals.length > 0) throw new UsageError("token list takes no arguments");
    const tokens = await withStore((store) => store.accessTokens());
    const head = ["ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "REVOKED", "ENDS"];
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      token.scopes.join(","),
      day(token.createdAt),
      day(token.expiresAt),
      day(token.revokedAt),
      `…${token.hint}`,
    ]);
    const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
    for (const row of [head, ...rows])
      print(
        row
          .map((text, i) => text.padEnd(widths[i]!))
          .join("  ")
          .trimEnd(),
      );
    return 0;
  },
};

export const tokenRevoke: Command = {
  usage: "token revoke ID",
  summary: "Revoke an access token, from its next request on.",
  async run(args) {
    const { positionals } = parseWords(args, {});
    const [id] = positionals;
    if (positionals.length !== 1 || id === undefined) throw new UsageError("token revoke takes one id");
    if (await withStore((store) => store.revokeAccessToken(id, Date.now()))) {
      report(`Token ${id} is revoked.`);
      return 0;
    }
    report(`No token has the id ${id}.`);
    return 1;
  },
};
