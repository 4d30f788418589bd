import type { Output, TokenReference } from "#lib/contract/ledger.ts";
import type { Steps } from "./rules/steps.ts";
import { all, type Bytes, type Dialect, type Reading, statement, toHex } from "./statement.ts";

/** An output as its table has it. */
export type OutputColumns = {
  transaction_id: number;
  output_index: number;
  spent_transaction_id: number | null;
  spent_input_index: number | null;
  /** By which the engine's tables name the address. */
  owner: number | string;
  token_id: number;
  amount: string | null;
  capacity: string;
  kind: string | null;
};

/** Of an output `o`. */
export const outputColumns = (sql: Dialect): string => `
  o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.${sql.owner.column} AS owner, o.token_id,
  CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity, o.kind`;

const OWNERS = statement("addresses-of-owners", ({ owner, isIn }) => {
  return `SELECT ${owner.own} AS owner, key, text FROM addresses WHERE ${isIn(owner.own, "$1", owner.type)}`;
});
export type TokenFacts = Omit<TokenReference, "fungible"> & { number: number; fungible: boolean | number };
export const TOKEN_FACTS = `SELECT id AS number, asset_id AS id, standard, fungible, content_type AS "contentType",
  chain_parent_id AS "parentId" FROM tokens`;
const TOKENS = statement("token-facts", (sql) => `${TOKEN_FACTS} WHERE ${sql.isIn("id", "$1", "integer")}`);
export const toToken = ({ number, ...facts }: TokenFacts): TokenReference => ({
  ...facts,
  fungible: Boolean(facts.fungible),
});

/**
 * The outputs of the rows, in order. Addresses and tokens have look-ups of their own: with Citus, a join of tables that are
 * distributed by different columns moves rows between machines.
 */
export function* toOutputs(db: Reading, rows: readonly OutputColumns[]): Steps<Output[]> {
  const owners = [...new Set(rows.map((row) => row.owner))];
  const ids = [...new Set(rows.filter((row) => row.amount !== null).map((row) => row.token_id))];
  const addresses = new Map<number | string, Output["address"]>();
  if (owners.length > 0) {
    const found = yield* all<{ owner: number | string; key: Bytes; text: string }>(
      db,
      OWNERS,
      JSON.stringify(owners),
    );
    for (const { owner, key, text } of found) addresses.set(owner, { key: toHex(key), text });
  }
  const tokens = new Map<number, TokenReference>();
  if (ids.length > 0) {
    const facts = yield* all<TokenFacts>(db, TOKENS, JSON.stringify(ids));
    for (const row of facts) tokens.set(row.number, toToken(row));
  }
  return rows.map((row): Output => {
    const capacity = BigInt(row.capacity);
    const address = found(addresses.get(row.owner), row);
    const { kind } = row;
    if (row.amount === null) return { address, token: null, amount: capacity, capacity, kind };
    return {
      address,
      token: found(tokens.get(row.token_id), row),
      amount: BigInt(row.amount),
      capacity,
      kind,
    };
  });
}

function found<T>(value: T | undefined, row: OutputColumns): T {
  if (value !== undefined) return value;
  throw new Error(
    `Output ${row.output_index} of transaction ${row.transaction_id} refers to an address or a token that is not stored`,
  );
}
