import { PRICE_DECIMALS, toUnits, USD_DECIMALS, valueInUsd } from "#lib/contract/amounts.ts";
import type { OutputState } from "#lib/contract/chain.ts";
import { type Address, outPointText } from "#lib/contract/ledger.ts";
import { placeOf } from "../chain.ts";
import {
  type Codec,
  either,
  type Fields,
  literal,
  plainText,
  simple,
  tokenFields,
  withKind,
} from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { pricesAsOf } from "../prices.ts";
import { walk } from "../walk.ts";
import { contract, type OutputEntry, type UtxoEntry } from "./contract.ts";
import { type UtxoRow, utxosOfAddress } from "./read.ts";
import { reference } from "./reference.ts";
import { withStates } from "./states.ts";

/** A row, and what it is if that was asked for. */
export type ToldUtxoRow = UtxoRow & Partial<OutputState>;

/** With the price of its token, in US dollars scaled by 10^18, and null without one, if that was asked for. */
type ValuedUtxoRow = ToldUtxoRow & { usd?: bigint | null };

const valueFields: Fields<ValuedUtxoRow, Required<Omit<UtxoEntry, keyof OutputEntry>>> = {
  priceUsd: plainText(({ usd }) => (usd == null ? "" : toUnits(usd, PRICE_DECIMALS))),
  valueUsd: plainText(({ usd, amount, token }) =>
    usd == null ? "" : toUnits(valueInUsd(BigInt(amount), token.decimals, usd), USD_DECIMALS),
  ),
};

const stateFields: Fields<ToldUtxoRow, Pick<OutputEntry, keyof OutputState>> = {
  kind: simple((row) => row.kind),
  until: simple((row) => row.until),
  compensation: simple((row) => row.compensation),
};

export const outputFields = (base: string): Fields<UtxoRow, Omit<OutputEntry, keyof OutputState>> => ({
  ...tokenFields((row) => row.token, base),
  blockHeight: literal((row) => row.height),
  outPoint: plainText(outPointText),
  amount: plainText((row) => row.amount),
  capacity: plainText((row) => row.capacity),
});

/** `more`: fields before those of every output. */
export const utxoCodec = <Row extends ToldUtxoRow, More extends object>(
  base: string,
  more: Fields<Row, More>,
): Codec<Row, More & OutputEntry> =>
  withKind<Row, OutputEntry, keyof OutputState>(stateFields, { ...more, ...outputFields(base) }) as Codec<
    Row,
    More & OutputEntry
  >;

/** Rows with a price have more fields than the others. */
function entryCodec(base: string): Codec<ValuedUtxoRow, UtxoEntry> {
  const plain = utxoCodec<ValuedUtxoRow, object>(base, {});
  const valued = utxoCodec(base, valueFields);
  return either((row) => (row.usd === undefined ? plain : valued));
}

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, ValuedUtxoRow>(contract, context, {
    async read({ address }, issues) {
      return { address: await readAddress(context, address!, issues) };
    },

    async start({ after: outPoint, cursor }, issues) {
      if (outPoint === undefined) return undefined;
      const place = await context.store.ask(placeOf, outPoint);
      if (place && !cursor) return place;
      const message = place ? "Give either a cursor or an out point" : "No indexed block has this output";
      issues.push({ path: ["query", "after"], code: "invalid_out_point", message });
    },

    async rows({ address, include, value, ...filters }, { after, limit, state: known }) {
      const query = { ...filters, addressKey: address.key, after, limit, state: known };
      const page = await context.store.ask(utxosOfAddress, query);
      if (include === undefined && value === undefined) return page;
      const state = { ...page, tip: page.asOf ?? page.tip };
      const rows = include === undefined ? page.rows : await withStates(context.store, state, () => address);
      if (value === undefined || !state.tip) return { ...page, rows };
      const assetIds = [...new Set(rows.map(({ token }) => token.id))];
      const prices = await context.store.ask(pricesAsOf, { assetIds, block: state.tip });
      return { ...page, rows: rows.map((row) => ({ ...row, usd: prices.get(row.token.id) ?? null })) };
    },

    entry: entryCodec(context.base),
  });

export const addressUtxos = { contract, reference, answer };
