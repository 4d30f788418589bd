import type { Metadata } from "next";
import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import { Suspense } from "react";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { type AssetNames, displaySymbol, isVouchedFor, type ListedNames } from "#lib/client/chain-text.ts";
import { cutAddress, cutId, cutToText } from "#lib/client/format.ts";
import { HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { changeParameters, readView } from "#lib/client/url-state.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { shownHoldings } from "#lib/dashboard/holdings.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { type AddressSeries, addressSeries } from "#lib/queries/address-series.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { requireCaller, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { AddressView, PastBar } from "./AddressView.tsx";
import { BalanceChart, ChartRoom } from "./BalanceChart.tsx";
import { blockNamed } from "./block-named.ts";
import { ChartControls, ChartFold } from "./ChartControls.tsx";
import { Composition } from "./Composition.tsx";
import { Headline } from "./Headline.tsx";
import { Lock } from "./Lock.tsx";
import { utxoList } from "./list.ts";
import { dayOf, presets } from "./presets.ts";
import { readChanges } from "./read-changes.ts";
import { addressFields, type Span, tabOf, tabTitle } from "./view.ts";

type Props = PageProps<"/addresses/[address]">;

/** Most valuable holdings among which look-alikes are searched for. */
const HOLDINGS_COMPARED = 500;
const CHART_ASSETS = 50;
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
  const tab = tabOf(view);
  const pinned = view.at === "" ? null : await blockNamed(service.store, view.at);
  if (view.at !== "" && !pinned) redirect(changeParameters(path, { at: "", missing: view.at }));
  if (pinned && "fault" in pinned) {
    return (
      <>
        <h1 className="sr-only">Address {text}</h1>
        <Notice tone="warn" title="This state is no longer available">
          {pinned.fault} <Link href={changeParameters(path, { at: "" })}>Show the present state</Link>
        </Notice>
      </>
    );
  }
  const at = pinned ? { hash: pinned.hash } : undefined;

  const listPath = utxoList.pathOf({ address: text }, readView(utxoList.fields, query));
  const [first, overview, identity] = await Promise.all([
    tab === "outputs"
      ? firstPage(service.operations.addressUtxos, caller, { address: text }, listPath)
      : null,
    service.store.query(addressOverview, {
      addressKey: address.key,
      at,
      collections: tab === "holdings",
      limit: HOLDINGS_COMPARED,
    }),
    service.identity(),
  ]);
  const { holdings, asOf, tip, tokenCount, valueUsd } = overview;
  const offered = tab === "changes" || tab === "statement" ? await presets(service, asOf) : [];
  const since = view.since || String(dayOf(offered)?.height ?? "");
  const native = identity?.native ?? terms.native;
  /** Null on failure: the rest of the page does not depend on it. */
  async function readSeries(span: Span, token?: string): Promise<AddressSeries | null> {
    if (!asOf) return { tip: null, points: [], dayAgo: null, weekAgo: null };
    const wanted = { addressKey: address.key, at: { hash: asOf.hash }, span, token };
    return service.store.query(addressSeries, wanted).catch((error: unknown) => {
      service.failureOf(error, { path: "the chart of an address" });
      return null;
    });
  }
  const week = readSeries("7d");
  const tokens = holdings.map(({ token }) => token);
  const { token, choices } = chartOf(view.asset, tokens, tokenCount > overview.unpricedCount ? null : native);
  // Other parts of the page leave the chart out.
  const isFirst = tab === "outputs";
  const isWeek = view.span === "7d" && token === null;
  const drawn = isFirst && (isWeek ? week : readSeries(view.span, token?.id));
  const namesakes = await namesakesAmong(service.store, tokens.map(shownAsset));

  const { formerAddressForms: notes } = terms;
  const note = typeof search.was === "string" && Object.hasOwn(notes, search.was) && notes[search.was];
  return (
    <>
      <h1 className="sr-only">Address {text}</h1>
      {pinned && <PastBar block={pinned} path={path} />}
      {note && <p className="mb-3 text-text-2">{note}</p>}
      {address.neverListed && (
        <div className="mb-3">
          <Notice tone="neutral" title="Outputs that are never listed">
            {address.neverListed}
          </Notice>
        </div>
      )}
      {typeof search.missing === "string" && (
        <div className="mb-3">
          <Notice tone="warn" title="Block not found">
            No indexed block has the number or hash, or is as old as{" "}
            <bdi className="mono">{search.missing.slice(0, SHOWN_UNITS)}</bdi>. This is the present state.
          </Notice>
        </div>
      )}
      <PartialIndex tip={tip} />
      {/* Closer to the header than other pages begin, so that the list is in the first window. */}
      <section
        aria-label="Value"
        className={`-mt-3 sm:-mt-4 ${isFirst ? "grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]" : ""}`}
      >
        <Headline
          address={text}
          lockName={address.lockName}
          overview={overview}
          native={native}
          week={week}
          short={!isFirst}
        />
        {drawn && (
          <ChartFold>
            <ChartControls span={view.span} asset={token?.id ?? ""} choices={choices} />
            <Suspense fallback={<ChartRoom />}>
              <BalanceChart path={path} token={token} series={drawn} />
            </Suspense>
          </ChartFold>
        )}
      </section>
      {isFirst && <Composition overview={overview} namesakes={namesakes} native={native} />}
      <AddressView
        tab={tab}
        holdings={{
          address: text,
          native,
          namesakes,
          tokenCount,
          first: {
            data: { result: shownHoldings(holdings.slice(0, HOLDINGS_PAGE)), total: overview.matchCount },
            tip: pinned ?? tip,
            requestId: "",
          },
        }}
        valueUsd={valueUsd}
        outputCount={overview.outputCount}
        pinned={pinned}
        since={since}
        changes={
          tab === "changes" && since !== "" ? await readChanges(address.key, since, view.to || view.at) : null
        }
        presets={offered}
        lock={
          tab === "lock" && (
            <Lock address={address} native={native} overview={overview} isPast={pinned !== null} />
          )
        }
        first={first}
      />
    </>
  );
}

/**
 * The asset to draw, and the choices. `asset`: the id in the address bar; without it the chart draws `fallback`, or the
 * value of all if that is null.
 */
function chartOf(asset: string, tokens: readonly TokenRow[], fallback: AssetNames | null) {
  const offered = tokens.filter(
    (token, at) =>
      token.id !== fallback?.id && (token.id === asset || (at < CHART_ASSETS && !isUnnamedUnique(token))),
  );
  const choices = [
    fallback ? nameAndId(fallback) : (["", terms.hasTokens ? "Value of all" : "Value"] as const),
    ...offered.map(nameAndId),
  ];
  return { token: tokens.find(({ id }) => id === asset) ?? fallback, choices };
}

/** An address may hold hundreds of these, and each has one step at most. */
const isUnnamedUnique = ({ name, symbol, standard }: TokenRow) =>
  name === "" && symbol === "" && terms.outputKind(standard)?.unique !== undefined;

/** The id and a title. Symbols that the registry does not vouch for have the id beside them, as in lists. */
function nameAndId(token: ListedNames): readonly [id: string, title: string] {
  const symbol = displaySymbol(token);
  return [token.id, isVouchedFor(token) ? symbol : `${symbol} ${cutToText(cutId(token.id))}`];
}
