import type { Metadata } from "next";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService, type Service } from "#lib/api/service.ts";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { capitalised, countOf } from "#lib/client/format.ts";
import { HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { readView } from "#lib/client/url-state.ts";
import { ADDRESS, isWallet, tooMany } from "#lib/client/wallet.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { shownHoldings } from "#lib/dashboard/holdings.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { type AddressSeries, addressSeries } from "#lib/queries/address-series.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { listOf } from "#lib/queries/parse.ts";
import { terms } from "#terms";
import { AddressView, PastBar } from "../addresses/[address]/AddressView.tsx";
import { BalanceChart, ChartRoom } from "../addresses/[address]/BalanceChart.tsx";
import { blockNamed } from "../addresses/[address]/block-named.ts";
import { ChartControls, ChartFold } from "../addresses/[address]/ChartControls.tsx";
import { Composition } from "../addresses/[address]/Composition.tsx";
import { Headline } from "../addresses/[address]/Headline.tsx";
import { utxoList } from "../addresses/[address]/list.ts";
import { dayOf, presets } from "../addresses/[address]/presets.ts";
import { readChanges } from "../addresses/[address]/read-changes.ts";
import { addressFields, type Span, tabOf } from "../addresses/[address]/view.ts";
import { requireCaller, searchText } from "../caller.ts";
import { firstPage } from "../first-page.ts";
import { Labels } from "./Labels.tsx";
import { SavedWallets } from "./SavedWallets.tsx";
import { WalletEditor } from "./WalletEditor.tsx";
import { WalletTitle } from "./WalletTitle.tsx";

type Props = PageProps<"/wallet">;

/** Most valuable holdings among which look-alikes are searched for. */
const HOLDINGS_COMPARED = 500;
/** The most valuable assets, which the chart can draw. */
const CHART_ASSETS = 12;
/** Characters of a wrong address that the page repeats. */
const SHOWN_UNITS = 256;

export const metadata: Metadata = { title: "Wallet" };

export default async function Page({ searchParams }: Props) {
  const search = await searchParams;
  const path = `/wallet${searchText(search)}`;
  const caller = await requireCaller(path);
  if (!caller.scopes.includes(addressUtxos.scope)) return <MissingScope scope={addressUtxos.scope} />;
  const service = await getService();
  const query = new URLSearchParams(searchText(search));
  const given = listOf(query, "address")
    .map((text) => text.trim())
    .filter(Boolean);
  const { keys, texts, faults } = await readAddresses(service, given);
  if (given.length === 0) {
    return (
      <Edit texts={given}>
        <p className="max-w-[65ch] text-text-2">
          Several addresses as one: their value and its history, {terms.output.many}, statement and changes.
          The statement leaves out what they pay one another. Named wallets stay in this browser.
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
              <bdi className="mono break-all">{text.slice(0, SHOWN_UNITS)}</bdi>: {reason}
            </p>
          ))}
        </Notice>
      </Edit>
    );
  }

  const view = readView(addressFields, query);
  const chosen = tabOf(view);
  const tab = chosen === "lock" ? "outputs" : chosen;
  const pinned = view.at === "" ? null : await blockNamed(service.store, view.at);
  if (view.at !== "" && (!pinned || "fault" in pinned)) {
    return (
      <Edit texts={given}>
        <Notice tone="warn" title={pinned ? "This state is no longer available" : "Block not found"}>
          {pinned?.fault ?? "No indexed block has the number or hash, or is as old as that."}
        </Notice>
      </Edit>
    );
  }
  const block = pinned && !("fault" in pinned) ? pinned : null;
  const at = block ? { hash: block.hash } : undefined;
  const address = texts.join();
  const { utxos, addressUtxos: ofOne } = service.operations;
  const listPath = utxoList.pathOf({ address }, readView(utxoList.fields, query));
  const readFirst = () =>
    isWallet(address)
      ? firstPage(utxos, caller, {}, listPath)
      : firstPage(ofOne, caller, { address }, listPath);
  const [first, overview, identity] = await Promise.all([
    tab === "outputs" ? readFirst() : null,
    service.store.query(addressOverview, {
      addressKey: keys,
      at,
      collections: tab === "holdings",
      limit: HOLDINGS_COMPARED,
    }),
    service.identity(),
  ]);
  const { holdings, asOf, tip, tokenCount, unpricedCount, valueUsd } = overview;
  const offered = tab === "changes" || tab === "statement" ? await presets(service, asOf) : [];
  const since = view.since || String(dayOf(offered)?.height ?? "");
  const native = identity?.native ?? terms.native;
  /** Null on failure: the rest of the page does not depend on it. */
  async function readSeries(span: Span, token?: string): Promise<AddressSeries | null> {
    if (!asOf) return { tip: null, points: [], dayAgo: null, weekAgo: null };
    const wanted = { addressKey: keys, at: { hash: asOf.hash }, span, token };
    return service.store.query(addressSeries, wanted).catch((error: unknown) => {
      service.failureOf(error, { path: "the chart of a wallet" });
      return null;
    });
  }
  const tokens = holdings.map(({ token }) => token);
  const isPriced = tokenCount > unpricedCount;
  const drawn = tokens.find(({ id }) => id === view.asset) ?? (isPriced ? null : native);
  const week = readSeries("7d");
  const isFirst = tab === "outputs";
  const readDrawn = () => (view.span === "7d" && drawn === null ? week : readSeries(view.span, drawn?.id));
  const series = isFirst ? readDrawn() : null;
  const namesakes = await namesakesAmong(service.store, tokens.map(shownAsset));
  const [dropped = 0] = /^\d{1,4}$/.exec(query.get("repeated") ?? "") ?? [];
  const repeated = given.length - texts.length + Number(dropped);
  const total = overview.matchCount;
  const result = shownHoldings(holdings.slice(0, HOLDINGS_PAGE));
  return (
    <>
      <h1 className="sr-only">Wallet of {countOf(texts.length, ADDRESS)}</h1>
      {block && <PastBar block={block} path={path} />}
      {repeated > 0 && (
        <p className="mb-3 text-text-2">
          {capitalised(countOf(repeated, ADDRESS))} given more than once: each counts once.
        </p>
      )}
      <PartialIndex tip={tip} />
      <section
        aria-label="Value"
        className={
          isFirst
            ? "grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]"
            : ""
        }
      >
        <Headline
          address={address}
          title={<WalletTitle addresses={texts} />}
          lockName={null}
          overview={overview}
          native={native}
          week={week}
          short={!isFirst}
        />
        {series && (
          <ChartFold>
            <ChartControls
              span={view.span}
              asset={drawn?.id ?? ""}
              choices={[
                ...(isPriced ? [["", terms.hasTokens ? "Value of all" : "Value"] as const] : []),
                ...tokens.slice(0, CHART_ASSETS).map((token) => [token.id, displaySymbol(token)] as const),
              ]}
            />
            <Suspense fallback={<ChartRoom />}>
              <BalanceChart path={path} token={drawn} series={series} />
            </Suspense>
          </ChartFold>
        )}
      </section>
      {isFirst && <Composition overview={overview} namesakes={namesakes} native={native} />}
      <AddressView
        tab={tab}
        holdings={{
          address,
          native,
          namesakes,
          tokenCount,
          first: { data: { result, total }, tip: block ?? tip, requestId: "" },
        }}
        valueUsd={valueUsd}
        outputCount={overview.outputCount}
        pinned={block}
        since={since}
        changes={
          tab === "changes" && since !== "" ? await readChanges(keys, since, view.to || view.at) : null
        }
        presets={offered}
        lock={null}
        first={first}
      />
    </>
  );
}

/** A page with the editor, for a wallet that cannot be shown. */
function Edit({ texts, children }: { texts: readonly string[]; children: ReactNode }) {
  return (
    <div id="results" className="mx-auto grid max-w-160 gap-6 py-6">
      <h1 className="font-bold text-2xl">Wallet</h1>
      {children}
      <WalletEditor addresses={texts} />
      <SavedWallets />
      <Labels />
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
