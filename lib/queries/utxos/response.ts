import { type IncludedRow, includedFields, outputFields, withIncluded } from "../address-utxos/include.ts";
import { optional, simple } from "../codec.ts";
import type { Context } from "../operation.ts";
import { readAddress } from "../parse.ts";
import { walk } from "../walk.ts";
import { type AddressedUtxo, contract } from "./contract.ts";
import { type NamedAddress, type OwnedUtxoRow, utxosOfAddresses } from "./read.ts";
import { reference } from "./reference.ts";

/** The addresses of a request. Cursors are bound to their keys. */
interface Addresses {
  key: string;
  all: NamedAddress[];
}

const implement = (context: Context) =>
  walk<typeof contract, { address: Addresses }, OwnedUtxoRow & IncludedRow>(contract, context, {
    async read({ address: texts = [] }, issues) {
      const byKey = new Map<string, NamedAddress>();
      for (const named of texts) {
        const address = await readAddress(context, named, issues, "query");
        if (address && byKey.has(address.key)) {
          const message = `Expected each address once: ${JSON.stringify(named)} is the same as ${JSON.stringify(byKey.get(address.key)!.named)}`;
          issues.push({ path: ["query", "address"], code: "repeated_address", message });
        } else if (address) byKey.set(address.key, { ...address, named });
      }
      return { address: { key: [...byKey.keys()].join(), all: [...byKey.values()] } };
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
