import { issueToken, rotateToken } from "#lib/api/access-tokens.ts";
import { scopes } from "#lib/contract/operation.ts";
import { isLonger, MAX_TOKEN_NAME } from "#lib/contract/texts.ts";
import { listedTokens, revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { command, oneOf, print, report, UsageError, withNewStore, withStore, wrong } from "./command.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Nearly a century. Dates beyond the year 9999 have another form. */
const MAX_DURATION_MS = 5_000 * UNIT_MS.w;

/** `90d`, `12h`, `30m`, `2w` → milliseconds. */
function parseDuration(option: string, text: string): number {
  const match = /^([1-9]\d{0,5})([mhdw])$/.exec(text);
  const duration = match && Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  if (!duration || duration > MAX_DURATION_MS) {
    throw wrong(option, "a number and m, h, d or w, such as 90d, and at most 5000w", text);
  }
  return duration;
}

/** `600/min` → 600. */
function parseRate(text: string): number {
  const match = /^([1-9]\d{0,6})\/min$/.exec(text);
  if (!match) throw wrong("--rate", "requests per minute, such as 600/min", text);
  return Number(match[1]);
}

export const tokenCreate = command({
  usage: "token create --name N [--scope S]… [--expires 90d] [--rate 600/min]",
  summary: "Create an access token, and print it once.",
  details: `  --name N       what the token is for, in at most ${MAX_TOKEN_NAME} characters
  --scope S      ${scopes.join(" or ")}; can be repeated; both by default
  --expires 90d  how long it is valid: a number and m, h, d or w; by default, until it is revoked
  --rate 600/min how many requests it may make in a minute; by default, what the server's
                 RATE_LIMIT_PER_MINUTE says`,
  options: {
    name: { type: "string" },
    scope: { type: "string", multiple: true, default: [] },
    expires: { type: "string" },
    rate: { type: "string" },
  },
  async run(values) {
    const name = values.name?.trim();
    if (!name) throw new UsageError("token create needs --name");
    if (/\p{C}/u.test(name)) throw wrong("--name", "one line of plain text", name);
    if (isLonger(name, MAX_TOKEN_NAME)) throw wrong("--name", `at most ${MAX_TOKEN_NAME} characters`, name);
    const now = Date.now();
    const wanted = [...new Set(values.scope.map((scope) => oneOf("--scope", scopes, scope)))];
    const expiresAt = values.expires === undefined ? null : now + parseDuration("--expires", values.expires);
    const ratePerMinute = values.rate === undefined ? null : parseRate(values.rate);
    const { token, record } = await withNewStore((store) =>
      issueToken(store, { name, scopes: wanted, expiresAt, now, ratePerMinute }),
    );
    report(`Token ${record.id} for ${record.scopes.join(", ")}. It is shown only once:`);
    print(token);
  },
});

const day = (time: number | null) => (time === null ? "-" : new Date(time).toISOString().slice(0, 16));

export const tokenList = command({
  usage: "token list [PREFIX]",
  summary: "List the access tokens: id, name, scopes, rate, times and last four characters.",
  details: "With a PREFIX, list only those whose id or name begins with it, ignoring case.",
  takes: [0, 1, "takes one prefix at most"],
  async run(_, start = "") {
    const prefix = start.toLowerCase();
    const all = await withStore((store) => store.query(listedTokens));
    const tokens = all.filter(({ id, name }) =>
      [id, name].some((text) => text.toLowerCase().startsWith(prefix)),
    );
    const head = ["ID", "NAME", "SCOPES", "RATE", "CREATED", "EXPIRES", "REVOKED", "USED", "LAST 4"];
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
    const line = (row: string[]) =>
      row
        .map((text, i) => text.padEnd(widths[i]!))
        .join("  ")
        .trimEnd();
    print([head, ...rows].map(line));
  },
});

export const tokenRotate = command({
  usage: "token rotate ID [--overlap 24h]",
  summary: "Replace an access token with a new one, and print the new one once.",
  details: `The new token has the same name, scopes, rate and lifetime.
  --overlap 24h  how long the old one stays valid: a number and m, h, d or w`,
  options: { overlap: { type: "string", default: "24h" } },
  takes: [1, 1, "takes one id"],
  async run(values, id) {
    const overlap = parseDuration("--overlap", values.overlap);
    const { token, record, oldEnd } = await withStore((store) =>
      rotateToken(store, id, { overlap, now: Date.now() }),
    );
    const end = record.expiresAt === null ? "" : ` It ends ${day(record.expiresAt)}Z.`;
    report(
      `Token ${record.id} takes the place of ${id}, which ends ${day(oldEnd)}Z.${end} It is shown only once:`,
    );
    print(token);
  },
});

export const tokenRevoke = command({
  usage: "token revoke ID",
  summary: "Revoke an access token. Its next request is refused.",
  takes: [1, 1, "takes one id"],
  async run(_, id) {
    if (await withStore((store) => store.record(revokeAccessToken, id, Date.now()))) {
      report(`Token ${id} is revoked.`);
      return 0;
    }
    report(`No token has the id ${id}.`);
    return 1;
  },
});
