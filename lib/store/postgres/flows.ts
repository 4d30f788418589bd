import { exhaustive } from "#lib/contract/exhaustive.ts";
import { tip } from "#lib/store/common-queries.ts";
import { Flows } from "#lib/store/flows.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement } from "#lib/store/statement.ts";
import type { AddressFlows, FlowQuery } from "#lib/store/store.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { Session } from "./connection.ts";
import { numberArray, toBytea } from "./encoding.ts";
import { TOKEN_COLUMNS, type TokenColumns, toTokenRow } from "./reads.ts";

/** Values: address, number of outputs. The transactions of the first outputs that would be too many. */
const BEYOND = statement(
  "flows-beyond",
  `SELECT greatest(
     (SELECT spent_transaction_id FROM outputs WHERE spent_transaction_id IS NOT NULL
      ORDER BY spent_transaction_id DESC LIMIT 1 OFFSET $2::bigint),
     (SELECT transaction_id FROM live_outputs WHERE address_key = $1
      ORDER BY transaction_id DESC LIMIT 1 OFFSET $2::bigint)) AS id`,
);
/** Values: address, first id. */
const SPENT = statement(
  "flows-spent",
  `SELECT token_id, transaction_id >= $2::bigint AS came, count(*) AS outputs,
          sum(coalesce(amount, capacity))::text AS amount
   FROM outputs WHERE spent_transaction_id >= $2::bigint AND address_key = $1 GROUP BY 1, 2`,
);
const LIVE = statement(
  "flows-live",
  `SELECT token_id, count(*) AS outputs, sum(coalesce(amount, capacity))::text AS amount
   FROM live_outputs WHERE address_key = $1 AND transaction_id >= $2::bigint GROUP BY 1`,
);
const TOKENS_BY_ID = statement(
  "tokens-by-id",
  `SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.id = ANY ($1::integer[])`,
);

/** Within a snapshot. */
export async function readAddressFlows(
  session: Session,
  addressKey: string,
  query: FlowQuery,
): Promise<AddressFlows> {
  const { since, limit, maxOutputs, ...rest } = query;
  exhaustive(rest);
  const key = toBytea(addressKey);
  const newest = await runInTurn(tip(session));
  const { id: beyond } = (await session.get<{ id: number | null }>(BEYOND, key, maxOutputs))!;
  const earliest = beyond === null ? 0 : heightOf(beyond);
  if (since < earliest) return { tip: newest, flows: null, total: 0, earliest };
  const flows = new Flows();
  const from = firstId(since + 1);
  type Sum = { token_id: number; outputs: number; amount: string };
  for (const row of await session.all<Sum & { came: boolean }>(SPENT, key, from)) {
    const { token_id: tokenId, came, outputs, amount } = row;
    flows.add({ tokenId, came, left: true, outputs, amount: BigInt(amount) });
  }
  for (const { token_id: tokenId, outputs, amount } of await session.all<Sum>(LIVE, key, from)) {
    flows.add({ tokenId, came: true, left: false, outputs, amount: BigInt(amount) });
  }
  const ids = flows.largest(limit).map(({ tokenId }) => tokenId);
  const rows = await session.all<TokenColumns>(TOKENS_BY_ID, numberArray(ids));
  const tokens = new Map(rows.map((row) => [row.token_id, toTokenRow(row)]));
  const listed = flows.listed(limit, (id) => tokens.get(id)!);
  return { tip: newest, flows: listed, total: flows.total, earliest };
}
