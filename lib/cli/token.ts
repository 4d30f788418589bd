import { issueToken, rotateToken } from "#lib/api/access-tokens.ts";
import { type Scope, scopes } from "#lib/contract/operation.ts";
import { listedTokens, revokeAccessToken } from "#lib/questions/access-tokens.ts";
import { type Command, parseWords, print, report, UsageError, withStore } from "./command.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90d`, `12h`, `30m`, `2w` → milliseconds. */
function parseDuration(option: string, text: string): number {
  const match = /^([1-9]\d{0,5})([mhdw])$/.exec(text);
  if (!match)
    throw new UsageError(`${option} is a number and m, h, d or w, such as 90d, not ${JSON.stringify(text)}`);
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

/** `600/min` → 600. */
function parseRate(text: string): number {
  const match = /^([1-9]\d{0,6})\/min$/.exec(text);
  if (!match)
    throw new UsageError(`--rate is requests per minute, such as 600/min, not ${JSON.stringify(text)}`);
  return Number(match[1]);
}

function parseScope(text: string): Scope {
  const scope = scopes.find((known) => known === text);
  if (!scope) throw new UsageError(`--scope is ${scopes.join(" or ")}, not ${JSON.stringify(text)}`);
  return scope;
}

export const tokenCreate: Command = {
  usage: "token create --name N [--scope S]… [--expires 90d] [--rate 600/min]",
  summary: "Print a new access token, once.",
  details: `  --name N       what the token is for
  --scope S      ${scopes.join(" or ")}; can be repeated; both by default
  --expires 90d  how long it is valid: a number and m, h, d or w; by default, until it is revoked
  --rate 600/min how many requests it may make in a minute; by default, what the server's
                 RATE_LIMIT_PER_MINUTE says`,
  async run(args) {
    const { values, positionals } = parseWords(args, {
      name: { type: "string" },
      scope: { type: "string", multiple: true },
      expires: { type: "string" },
      rate: { type: "string" },
    });
    if (positionals.length > 0) throw new UsageError(`Unexpected: ${positionals.join(" ")}`);
    const name = values.name?.trim();
    if (!name) throw new UsageError("token create needs --name");
    if (/\p{C}/u.test(name))
      throw new UsageError(`--name is one line of plain text, not ${JSON.stringify(name)}`);
    const now = Date.now();
    const wanted = [...new Set((values.scope ?? []).map(parseScope))];
    const expiresAt = values.expires === undefined ? null : now + parseDuration("--expires", values.expires);
    const ratePerMinute = values.rate === undefined ? null : parseRate(values.rate);
    const { token, record } = await withStore((store) =>
      issueToken(store, { name, scopes: wanted, expiresAt, now, ratePerMinute }),
    );
    report(`Token ${record.id} for ${record.scopes.join(", ")}. It is shown only once:`);
    print(token);
    return 0;
  },
};

const day = (time: number | null) => (time === null ? "-" : new Date(time).toISOString().slice(0, 16));

export const tokenList: Command = {
  usage: "token list [PREFIX]",
  summary: "List the access tokens: id, name, scopes, rate, times and last four characters.",
  details: "With a PREFIX, only those whose id or name begins with it, in capital or small letters.",
  async run(args) {
    const { positionals } = parseWords(args, {});
    if (positionals.length > 1) throw new UsageError("token list takes one prefix at most");
    const prefix = (positionals[0] ?? "").toLowerCase();
    const all = await withStore((store) => store.ask(listedTokens));
    const tokens = all.filter(({ id, name }) =>
      [id, name].some((text) => text.toLowerCase().startsWith(prefix)),
    );
    const head = ["ID", "NAME", "SCOPES", "RATE", "CREATED", "EXPIRES", "REVOKED", "USED", "ENDS"];
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      token.scopes.join(","),
      token.ratePerMinute === null ? "-" : `${token.ratePerMinute}/min`,
      day(token.createdAt),
      day(token.expiresAt),
      day(token.revokedAt),
      day(token.lastUsedAt),
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

export const tokenRotate: Command = {
  usage: "token rotate ID [--overlap 24h]",
  summary: "Print a new access token that takes the place of another one, once.",
  details: `The new token has the same name, scopes, rate and length of life.
  --overlap 24h  how long the old one stays valid: a number and m, h, d or w`,
  async run(args) {
    const { values, positionals } = parseWords(args, { overlap: { type: "string", default: "24h" } });
    const [id] = positionals;
    if (positionals.length !== 1 || id === undefined) throw new UsageError("token rotate takes one id");
    const overlap = parseDuration("--overlap", values.overlap);
    const { token, record } = await withStore((store) =>
      rotateToken(store, id, { overlap, now: Date.now() }),
    );
    report(
      `Token ${record.id} takes the place of ${id}, which ends in ${values.overlap}. It is shown only once:`,
    );
    print(token);
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
    if (await withStore((store) => store.record(revokeAccessToken, id, Date.now()))) {
      report(`Token ${id} is revoked.`);
      return 0;
    }
    report(`No token has the id ${id}.`);
    return 1;
  },
};
