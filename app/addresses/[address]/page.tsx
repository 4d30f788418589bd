import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { Link } from "#components/Link.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { cutAddress, cutToText } from "#lib/client/format.ts";
import { changeParameters, readView } from "#lib/client/url-state.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { requireCaller, searchText } from "../../caller.ts";
import { AddressPage } from "./AddressPage.tsx";
import { blockNamed } from "./block-named.ts";
import { addressFields, tabOf, tabTitle } from "./view.ts";

type Props = PageProps<"/addresses/[address]">;

/** Characters of an unknown block's name that the page repeats. */
const SHOWN_UNITS = 80;

async function addressOf(props: Props): Promise<string> {
  return decodePart((await props.params).address).trim();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const text = await addressOf(props);
  const query = new URLSearchParams(searchText(await props.searchParams));
  const tab = tabOf(readView(addressFields, query));
  return {
    title: `Address ${cutToText(cutAddress(text))} · ${tab === "outputs" ? "UTXOs" : tabTitle(tab)}`,
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
    if (isAddressError(error)) notFound();
    throw error;
  });
  if (address.text !== text) {
    const note = address.formerForm === null ? {} : { was: address.formerForm };
    redirect(`/addresses/${address.text}${searchText({ ...search, ...note })}`);
  }
  if (!caller.scopes.includes(addressUtxos.scope)) return <MissingScope scope={addressUtxos.scope} />;

  const query = new URLSearchParams(searchText(search));
  const view = readView(addressFields, query);
  const pinned = view.at === "" ? null : await blockNamed(service.store, view.at);
  if (view.at !== "" && !pinned) redirect(changeParameters(path, { at: "", missing: view.at }));
  if (pinned && "fault" in pinned) {
    return (
      <>
        <h1 className="sr-only">Address {text}</h1>
        <Notice tone="warn" title="This state is no longer available">
          {pinned.fault} <Link href={{ at: "" }}>Show the present state</Link>
        </Notice>
      </>
    );
  }

  const { formerAddressForms: notes } = terms;
  const note = typeof search.was === "string" && Object.hasOwn(notes, search.was) && notes[search.was];
  return (
    <AddressPage
      heading={`Address ${text}`}
      address={text}
      keys={[address.key]}
      only={address}
      path={path}
      query={query}
      caller={caller}
      pinned={pinned}
    >
      {note && <p className="mb-3 text-text-2">{note}</p>}
      {address.neverListed && (
        <div className="mb-3">
          <Notice title="Outputs that are never listed">{address.neverListed}</Notice>
        </div>
      )}
      {typeof search.missing === "string" && (
        <div className="mb-3">
          <Notice tone="warn" title="Block not found">
            <bdi className="mono">{search.missing.slice(0, SHOWN_UNITS)}</bdi> is not the number or hash of an
            indexed block, or a date since the first one. This is the present state.
          </Notice>
        </div>
      )}
    </AddressPage>
  );
}
