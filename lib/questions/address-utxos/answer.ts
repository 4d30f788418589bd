import type { OutputState } from "#lib/contract/chain.ts";
import { type Address, outPointText } from "#lib/contract/ledger.ts";
import { placeOf } from "../chain.ts";
import { type Codec, type Fields, literal, plainText, simple, tokenInfo, withKind } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract, type UtxoEntry } from "./contract.ts";
import { type UtxoRow, utxosOfAddress } from "./read.ts";
import { reference } from "./reference.ts";
import { withStates } from "./states.ts";

/** A row, and what it is if that was asked for. */
export type ToldUtxoRow = UtxoRow & Partial<OutputState>;

const stateFields: Fields<ToldUtxoRow, Pick<UtxoEntry, keyof OutputState>> = {
  kind: simple((row) => row.kind),
  until: simple((row) => row.until),
  compensation: simple((row) => row.compensation),
};

/** Of every output. */
export const outputFields = (base: string): Fields<UtxoRow, Omit<UtxoEntry, keyof OutputState>> => ({
  token: plainText((row) => row.token.id),
  tokenInfo: tokenInfo((row) => row.token, base),
  blockHeight: literal((row) => row.height),
  outPoint: plainText(outPointText),
  amount: plainText((row) => row.amount),
  capacity: plainText((row) => row.capacity),
});

/** `more`: fields before those of every output. */
export const utxoCodec = <Row extends ToldUtxoRow, More extends object>(
  base: string,
  more: Fields<Row, More>,
): Codec<Row, More & UtxoEntry> =>
  withKind<Row, UtxoEntry, keyof OutputState>(stateFields, { ...more, ...outputFields(base) }) as Codec<
    Row,
    More & UtxoEntry
  >;

const answer = (context: Context) =>
  walk<typeof contract, { address: Address }, ToldUtxoRow>(contract, context, {
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

    async rows({ address, include, ...filters }, { after, limit }) {
      const query = { ...filters, addressKey: address.key, after, limit };
      const page = await context.store.ask(utxosOfAddress, query);
      if (include === undefined) return page;
      const state = { ...page, tip: page.asOf ?? page.tip };
      return { ...page, rows: await withStates(context.store, state, () => address) };
    },

    entry: utxoCodec(context.base, {}),
  });

/** The unspent outputs of an address, in chain order. */
export const addressUtxos = { contract, reference, answer };
