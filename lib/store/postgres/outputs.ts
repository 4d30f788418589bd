import type { Output } from "#lib/contract/ledger.ts";
import { statement } from "#lib/store/statement.ts";
import { byteaArray, numberArray } from "./encoding.ts";
import type { Session } from "./session.ts";

/** An output as its table has it. */
export type OutputColumns = {
  transaction_id: number;
  output_index: number;
  spent_transaction_id: number | null;
  spent_input_index: number | null;
  address_key: string;
  token_id: number;
  amount: string | null;
  capacity: string;
  kind: string | null;
};

export const OUTPUT_COLUMNS =
  "o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.address_key, o.token_id, o.amount, o.capacity, o.kind";

const ADDRESSES = statement(
  "addresses-by-key",
  "SELECT key, text FROM addresses WHERE key = ANY ($1::bytea[])",
);
const TOKENS = statement(
  "token-facts",
  `SELECT id, asset_id, standard, fungible, content_type, chain_parent_id FROM tokens WHERE id = ANY ($1::integer[])`,
);

/**
 * The outputs of the rows, in order. Addresses and tokens are looked up once each, by statements of their own: with
 * Citus, a join of tables that are distributed by different columns would move rows between machines.
 */
export async function toOutputs(session: Session, rows: OutputColumns[]): Promise<Output[]> {
  const keys = [...new Set(rows.map((row) => row.address_key))];
  const ids = [...new Set(rows.filter((row) => row.amount !== null).map((row) => row.token_id))];
  const addresses = new Map<string, string>();
  if (keys.length > 0) {
    for (const { key, text } of await session.all<{ key: string; text: string }>(
      ADDRESSES,
      byteaArray(keys),
    )) {
      addresses.set(key, text);
    }
  }
  const tokens = new Map<number, NonNullable<Output["token"]>>();
  if (ids.length > 0) {
    const facts = await session.all<{
      id: number;
      asset_id: string;
      standard: string;
      fungible: boolean;
      content_type: string;
      chain_parent_id: string;
    }>(TOKENS, numberArray(ids));
    for (const row of facts) {
      tokens.set(row.id, {
        id: row.asset_id,
        standard: row.standard,
        fungible: row.fungible,
        parentId: row.chain_parent_id,
        contentType: row.content_type,
      });
    }
  }
  return rows.map((row): Output => {
    const capacity = BigInt(row.capacity);
    const address = { key: row.address_key, text: found(addresses.get(row.address_key), row) };
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
