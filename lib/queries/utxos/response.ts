import { type IncludedRow, includedFields, outputFields, withIncluded } from "../address-utxos/include.ts";
import { optional, simple } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readWallet, type Wallet } from "../parse.ts";
import { walk } from "../walk.ts";
import { type AddressedUtxo, contract } from "./contract.ts";
import { type OwnedUtxoRow, utxosOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, OwnedUtxoRow & IncludedRow>(contract, context, {
    async read({ address: texts = [] }, issues) {
      const address = await readWallet(context, texts, issues, "query", (named, first) => {
        const message = `Expected each address once: ${JSON.stringify(named)} is the same as ${JSON.stringify(first)}`;
        issues.push({ path: ["query", "address"], code: "repeated_address", message });
      });
      return { address };
    },

    async rows({ address, include, value, ...filters }, window) {
      const query = { ...filters, ...window, addresses: address.all };
      const page = await context.store.query(utxosOfAddresses, query);
      return withIncluded(context.store, page, { include, value }, ({ owner }) => owner);
    },

    entry: optional<OwnedUtxoRow & IncludedRow, AddressedUtxo>(
      { address: simple((row) => row.owner.named), ...outputFields(context.base) },
      includedFields,
    ),
  });

export const utxos = { contract, reference, implement };
