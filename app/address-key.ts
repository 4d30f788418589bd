import type { Service } from "#lib/api/service.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { ApiError } from "#lib/contract/errors.ts";

/** The key of the address that a request of the pages names. Throws BAD_REQUEST if it is none of this chain. */
export async function addressKeyOf(service: Service, search: URLSearchParams): Promise<string> {
  try {
    return (await service.parseAddress(search.get("address") ?? "")).key;
  } catch (error) {
    if (!isAddressError(error)) throw error;
    const { code, message } = error;
    throw new ApiError("BAD_REQUEST", [{ path: ["query", "address"], code, message }]);
  }
}
