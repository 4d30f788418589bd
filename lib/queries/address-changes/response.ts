import { type IncludedRow, includedFields, outputFields, withIncluded } from "../address-utxos/include.ts";
import { type Fields, literal, optional, plainText, simple } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { Context } from "../operation.ts";
import { type NamedAddress, type Values, type Wallet, walletReader } from "../parse.ts";
import { type Rows, type Window, walk } from "../walk.ts";
import { type AddressChange, contract } from "./contract.ts";
import { type ChangePlace, type ChangeRow, changesOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

export type Row = Omit<ChangeRow, "owner"> & IncludedRow & { owner: NamedAddress };
type Selected = Omit<Values<typeof contract>, "address" | "pageSize" | "cursor"> & { address: Wallet };

/** The parts of a list of changes, of one address or several. */
export const changesList = (context: Context) => ({
  async rows({ address, include, value, ...filters }: Selected, window: Window<ChangePlace>) {
    const owners = new Map(address.all.map((one) => [one.key, one]));
    const query = { ...filters, ...window, addressKeys: [...owners.keys()] };
    const page = await context.store.query(changesOfAddresses, query);
    const rows = page.rows.map((row): Row => ({ ...row, owner: owners.get(row.owner)! }));
    return withIncluded<Row, Rows<Row, ChangePlace>>(
      context.store,
      { ...page, rows },
      { include, value },
      ({ owner }) => owner,
    );
  },

  places: jsonPlaces<ChangePlace>("changes"),
});

export const changeFields = (base: string): Fields<Row, AddressChange> => ({
  ...outputFields(base),
  change: simple((row) => row.change),
  changeHeight: literal((row) => row.changeHeight),
  changeTransaction: plainText((row) => row.changeTransaction),
});

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, Row, ChangePlace>(contract, context, {
    read: walletReader(context, "path"),

    ...changesList(context),

    entry: optional<Row, AddressChange>(changeFields(context.base), includedFields),
  });

export const addressChanges = { contract, reference, implement };
