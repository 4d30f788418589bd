import type { Service } from "#lib/api/service.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { pageData } from "./page-data.ts";

/**
 * `GET /address-forms?address=`: addresses in their canonical form, in the order given, and null for texts that are no address
 * of the served chain and network.
 */
export const handleAddressForms = pageData(
  () => addressUtxos.scope,
  async (service, search) => {
    const given = search.getAll("address");
    if (given.length > MAX_ADDRESSES) throw new ApiError("BAD_REQUEST");
    return { body: await Promise.all(given.map((text) => canonicalForm(service, text))) };
  },
);

async function canonicalForm(service: Service, text: string): Promise<string | null> {
  try {
    return (await service.parseAddress(text)).text;
  } catch (error) {
    if (isAddressError(error)) return null;
    throw error;
  }
}
