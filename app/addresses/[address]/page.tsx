import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { cutAddress, cutToText } from "#lib/client/format.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { requireCaller, searchText } from "../../caller.ts";
import { AddressPage } from "./AddressPage.tsx";
import { NoAddress } from "./NoAddress.tsx";
import { partTitle } from "./view.ts";

type Props = PageProps<"/addresses/[address]">;

async function addressOf(props: Props): Promise<string> {
  return decodePart((await props.params).address).trim();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const text = await addressOf(props);
  const part = partTitle(searchText(await props.searchParams), true);
  return {
    title: `Address ${cutToText(cutAddress(text))} · ${part}`,
    alternates: { canonical: `/addresses/${encodeURIComponent(text)}` },
  };
}

export default async function Page(props: Props) {
  const text = await addressOf(props);
  const search = await props.searchParams;
  const path = `/addresses/${encodeURIComponent(text)}${searchText(search)}`;
  const caller = await requireCaller(path);
  const service = await getService();

  const address = await service.parseAddress(text).catch((error: unknown) => {
    if (isAddressError(error)) return error;
    throw error;
  });
  if (isAddressError(address)) return <NoAddress text={text} reason={address.message} />;
  if (address.text !== text) {
    const note = address.formerForm === null ? {} : { was: address.formerForm };
    redirect(`/addresses/${address.text}${searchText({ ...search, ...note })}`);
  }
  if (!caller.scopes.includes(addressUtxos.scope)) return <MissingScope scope={addressUtxos.scope} />;

  const { formerAddressForms: notes } = terms;
  const note = typeof search.was === "string" && Object.hasOwn(notes, search.was) && notes[search.was];
  return (
    <AddressPage
      heading={`Address ${text}`}
      address={text}
      keys={[address.key]}
      only={address}
      path={path}
      caller={caller}
    >
      {note && <p className="mb-3 text-text-2">{note}</p>}
      {address.neverListed && (
        <Notice title="Outputs that are never listed" className="mb-3">
          {address.neverListed}
        </Notice>
      )}
    </AddressPage>
  );
}
