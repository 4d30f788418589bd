import type { Metadata } from "next";
import type { ReactNode } from "react";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService, type Service } from "#lib/api/service.ts";
import { capitalised, countOf } from "#lib/client/format.ts";
import { ADDRESS, BETWEEN_ADDRESSES, tooMany } from "#lib/client/wallet.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { limitText, MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { listOf } from "#lib/queries/parse.ts";
import { terms } from "#terms";
import { AddressPage } from "../addresses/[address]/AddressPage.tsx";
import { partTitle } from "../addresses/[address]/view.ts";
import { requireCaller, searchText } from "../caller.ts";
import { Editor } from "./Editor.tsx";
import { Kept } from "./Kept.tsx";
import { WalletTitle } from "./WalletTitle.tsx";

type Props = PageProps<"/wallet">;

/** Characters of a wrong address that the page repeats. */
const SHOWN = 256;

const addressesIn = (query: URLSearchParams): string[] =>
  listOf(query, "address")
    .flatMap((text) => text.split(BETWEEN_ADDRESSES))
    .filter(Boolean);

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const search = searchText(await searchParams);
  const isEmpty = addressesIn(new URLSearchParams(search)).length === 0;
  return { title: isEmpty ? "Wallet" : `Wallet · ${partTitle(search, false)}` };
}

export default async function Page({ searchParams }: Props) {
  const search = await searchParams;
  const path = `/wallet${searchText(search)}`;
  const caller = await requireCaller(path);
  if (!caller.scopes.includes(addressUtxos.scope)) return <MissingScope scope={addressUtxos.scope} />;
  const service = await getService();
  const query = new URLSearchParams(searchText(search));
  const given = addressesIn(query);
  const { keys, texts, faults } = await readAddresses(service, given);
  if (given.length === 0) {
    return (
      <Edit texts={given}>
        <p className="max-w-[65ch] text-text-2">
          A wallet shows several addresses as one: their value over time, {terms.output.many}, statement and
          changes. The statement leaves out what they pay one another. Named wallets stay in this browser.
        </p>
      </Edit>
    );
  }
  if (faults.length > 0 || texts.length > MAX_ADDRESSES) {
    return (
      <Edit texts={given}>
        <Notice tone="bad" title={faults.length > 0 ? "Not an address of this chain" : tooMany(texts.length)}>
          {faults.slice(0, MAX_ADDRESSES).map(({ text, reason }) => (
            <p key={text}>
              <bdi className="mono break-all">{limitText(text, SHOWN)}</bdi>: {reason}
            </p>
          ))}
        </Notice>
      </Edit>
    );
  }
  const [dropped = 0] = /^\d{1,4}$/.exec(query.get("repeated") ?? "") ?? [];
  const repeated = given.length - texts.length + Number(dropped);
  return (
    <AddressPage
      heading={`Wallet of ${countOf(texts.length, ADDRESS)}`}
      address={texts.join()}
      keys={keys}
      only={null}
      title={<WalletTitle addresses={texts} given={given} />}
      path={path}
      caller={caller}
    >
      {repeated > 0 && (
        <p className="mb-6 text-text-2">
          {capitalised(countOf(repeated, REPEATED))} left out: each counts once.
        </p>
      )}
    </AddressPage>
  );
}

const REPEATED = { one: "repeated address", many: "repeated addresses" };

/** A page with the editor, for a wallet that cannot be shown. */
function Edit({ texts, children }: { texts: readonly string[]; children: ReactNode }) {
  return (
    <div id="results" className="mx-auto grid max-w-160 gap-6 py-6">
      <h1 className="font-bold text-2xl">Wallet</h1>
      {children}
      <Editor addresses={texts} />
      <Kept />
    </div>
  );
}

/** Each address once, in its canonical form, and the texts that are none. */
async function readAddresses(service: Service, given: readonly string[]) {
  const byKey = new Map<string, string>();
  const faults: { text: string; reason: string }[] = [];
  for (const text of new Set(given)) {
    try {
      const address = await service.parseAddress(text);
      byKey.set(address.key, address.text);
    } catch (error) {
      if (!isAddressError(error)) throw error;
      faults.push({ text, reason: error.message });
    }
  }
  return { keys: [...byKey.keys()], texts: [...byKey.values()], faults };
}
