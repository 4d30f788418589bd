import { type ReactNode, Suspense } from "react";
import { Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Fold } from "#components/ui/Fold.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { type AssetNames, type ListedNames, symbolAndId, unnamedUnit } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";
import { HOLDINGS_PAGE, sharesOfValue } from "#lib/client/holdings.ts";
import { changeParameters, NO_PLACE, readView } from "#lib/client/url-state.ts";
import { isWallet } from "#lib/client/wallet.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import { limitText } from "#lib/contract/texts.ts";
import { shownHoldings } from "#lib/dashboard/holdings.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { type AddressSeries, addressSeries } from "#lib/queries/address-series.ts";
import { assetId } from "#lib/queries/address-utxos/contract.ts";
import { assetById } from "#lib/queries/assets/read.ts";
import { storedHorizon } from "#lib/queries/chain.ts";
import type { AccessToken, TokenRow } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { terms } from "#terms";
import { firstPage } from "../../first-page.ts";
import { redirectTo, redirectToPlainReferences } from "../../redirect-to.ts";
import { AddressView, PastBar } from "./AddressView.tsx";
import { BalanceChart, ChartRoom } from "./BalanceChart.tsx";
import { blockNamed, redirectToNow, replacedHeight } from "./block-named.ts";
import { ChartControls } from "./ChartControls.tsx";
import { Composition } from "./Composition.tsx";
import { Headline } from "./Headline.tsx";
import { Lock } from "./Lock.tsx";
import { utxoList } from "./list.ts";
import { dayOf, presets } from "./presets.ts";
import { faultOfRange, keptAfter, readChanges } from "./read-changes.ts";
import { statementList } from "./statement/list.ts";
import { addressFields, type Span, tabOf } from "./view.ts";

interface Props {
  heading: string;
  /** An address, or those of a wallet with commas between them. */
  address: string;
  keys: readonly string[];
  /** The address; null on the page of a wallet, which shows no lock. */
  only: ParsedAddress | null;
  /** Stands in place of the address. */
  title?: ReactNode;
  path: string;
  caller: AccessToken;
  /** Notes above the value. */
  children: ReactNode;
}

/** Most valuable holdings among which look-alikes are searched for. */
const HOLDINGS_COMPARED = 500;
const CHART_ASSETS = 50;
/** Characters of an unknown block's name that the page repeats. */
const SHOWN = 80;

/** The page of an address, or of a wallet: its value with a chart, and its tabs. */
export async function AddressPage(props: Props) {
  const { heading, address, keys, only, title, path, caller, children } = props;
  redirectToPlainReferences(path, "at", "since", "to");
  const service = await getService();
  const query = new URLSearchParams(path.split("?")[1]);
  const view = readView(addressFields, query);
  const pinned = view.at === "" ? null : await blockNamed(service.store, view.at);
  if (view.at !== "" && !pinned) {
    redirectTo(changeParameters(path, { ...NO_PLACE, at: "", missing: view.at }));
  }
  if (pinned && "fault" in pinned) {
    return (
      <>
        <h1 className="sr-only">{heading}</h1>
        <Notice tone="warn" title="This state is no longer available">
          {pinned.fault} <Link href={{ ...NO_PLACE, at: "" }}>Show the current state</Link>
        </Notice>
      </>
    );
  }
  if (pinned) await redirectToNow(service.store, path, view.at, pinned);
  // The state ends every range.
  if (pinned && view.to !== "") redirectTo(changeParameters(path, { ...NO_PLACE, to: "" }));
  // Blocks of the link that the page could not use.
  const [missing, forked] = [query.get("missing") ?? "", query.get("forked") ?? ""];
  const chosen = tabOf(view);
  const tab = chosen === "lock" && !only ? "outputs" : chosen;
  // Other parts of the page leave the chart out.
  const isFirst = tab === "outputs";
  const { utxos, addressUtxos, statement, addressStatement } = service.operations;
  const firstOutputs = () =>
    isWallet(address)
      ? firstPage(utxos, caller, utxoList, { address }, query)
      : firstPage(addressUtxos, caller, utxoList, { address }, query);
  const firstStatement = () =>
    isWallet(address)
      ? firstPage(statement, caller, statementList, { address }, query)
      : firstPage(addressStatement, caller, statementList, { address }, query);
  const isOfRange = tab === "changes" || tab === "statement";
  const [first, firstLines, overview, identity, end, horizon] = await Promise.all([
    isFirst ? firstOutputs() : null,
    tab === "statement" ? firstStatement() : null,
    service.store.query(addressOverview, {
      addressKey: keys,
      at: pinned ? { hash: pinned.hash } : undefined,
      collections: tab === "holdings",
      limit: HOLDINGS_COMPARED,
    }),
    service.identity(),
    isOfRange && view.to !== "" ? blockNamed(service.store, view.to) : null,
    isOfRange ? service.store.query(storedHorizon) : -1,
  ]);
  const { holdings, asOf, tip, tokenCount, unpricedCount, valueUsd, matchCount, outputCount } = overview;
  const last = end && "hash" in end ? end : asOf;
  const offered = isOfRange ? await presets(service, last, horizon) : [];
  const begin = dayOf(offered)?.height ?? (last && horizon >= 0 ? keptAfter(horizon, last) : "");
  const since = view.since || String(begin);
  const native = identity?.native ?? terms.native;

  /** Reads the changes for their tab. On the tab of the statement, returns why it cannot be shown, or null. */
  async function readRange() {
    if (!isOfRange) return null;
    if (!asOf) return { fault: "Nothing indexed yet." };
    if (tab === "statement") {
      const found = await faultOfRange(view.since, view.to || view.at, tip ?? asOf, horizon);
      if (!found || "fault" in found) return found;
      // The list's place belongs to the range that was replaced.
      redirectTo(changeParameters(path, { ...found, ...NO_PLACE }));
    }
    if (since === "") return { fault: "Choose the block or the date after which the changes begin." };
    return readChanges(keys, since, view.to || view.at);
  }
  /** Null on failure: the rest of the page does not depend on it. */
  async function readSeries(span: Span, token?: string): Promise<AddressSeries | null> {
    if (!asOf) return { points: [], dayAgo: null, weekAgo: null };
    const wanted = { addressKey: keys, at: { hash: asOf.hash }, span, token };
    return service.store.query(addressSeries, wanted).catch((error: unknown) => {
      service.failureOf(error, { path: "the chart of an address" });
      return null;
    });
  }
  const week = readSeries("7d");
  const tokens = holdings.map(({ token }) => token);
  const isListed = view.asset === "" || tokens.some(({ id }) => id === view.asset);
  // The address may have spent all of it.
  const spent = isListed || !isFirst ? null : await knownAsset(service.store, view.asset);
  if (spent) tokens.push(spent);
  const { token, choices } = chartOf(view.asset, tokens, tokenCount > unpricedCount ? null : native);
  const isWeek = view.span === "7d" && token === null;
  const drawn = isFirst && (isWeek ? week : readSeries(view.span, token?.id));
  const namesakes = await namesakesAmong(service.store, tokens.map(shownAsset));
  const result = shownHoldings(holdings.slice(0, HOLDINGS_PAGE));
  return (
    <>
      <h1 className="sr-only">{heading}</h1>
      {pinned && <PastBar block={pinned} />}
      {children}
      {missing && <BlockNotice named={missing} instead="This page shows the current state." />}
      {forked && <BlockNotice named={forked} instead="The statement begins after the fork." />}
      <PartialIndex tip={tip} />
      {/* Closer to the header than other pages begin, so that the list is in the first window. */}
      <section
        aria-label="Value"
        className={`-mt-3 sm:-mt-4 ${isFirst ? "grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 sm:grid-cols-[minmax(0,3fr)_minmax(0,4fr)]" : ""}`}
      >
        <Headline
          address={address}
          title={title}
          lockName={only?.lockName ?? null}
          overview={overview}
          native={native}
          week={week}
          short={!isFirst}
        />
        {drawn && (
          <Fold label="Chart">
            <ChartControls span={view.span} asset={token?.id ?? ""} choices={choices} />
            <Suspense fallback={<ChartRoom />}>
              <BalanceChart token={token} series={drawn} />
            </Suspense>
          </Fold>
        )}
      </section>
      {horizon >= 0 && (
        <p className="mt-2 text-text-2">Changes up to block {formatCount(horizon)} are not kept here.</p>
      )}
      {isFirst && (
        <Composition
          overview={overview}
          shares={sharesOfValue(result, valueUsd)}
          {...{ namesakes, native }}
        />
      )}
      <AddressView
        tab={tab}
        hasLock={only !== null}
        holdings={{
          address,
          native,
          namesakes,
          tokenCount,
          valueUsd,
          first: { data: { result, total: matchCount }, tip: pinned ?? tip, requestId: "" },
        }}
        outputCount={outputCount}
        pinned={pinned}
        readAt={tip?.hash ?? ""}
        since={since}
        to={pinned ? undefined : view.to}
        changes={await readRange()}
        presets={offered}
        lock={
          tab === "lock" &&
          only && <Lock address={only} native={native} overview={overview} isPast={pinned !== null} />
        }
        first={first}
        firstLines={firstLines}
      />
    </>
  );
}

/** Says that a block of the link is not on the chain, and what the page shows instead. */
async function BlockNotice({ named, instead }: { named: string; instead: string }) {
  const replaced = await replacedHeight((await getService()).store, named);
  return (
    <Notice
      tone="warn"
      title={replaced === null ? "Block not found" : `Block ${formatCount(replaced)} was replaced`}
      className="mb-6"
    >
      <bdi className="mono">{limitText(named, SHOWN)}</bdi>{" "}
      {replaced === null
        ? "does not name an indexed block: enter a number, a hash, or a date no earlier than the first block."
        : "is no longer on the chain, because of a reorganisation."}{" "}
      {instead}
    </Notice>
  );
}

/**
 * The asset to draw, and the choices. `asset`: the id in the address bar; without it the chart draws `fallback`, or the
 * value of all if that is null.
 */
function chartOf(asset: string, tokens: readonly TokenRow[], fallback: AssetNames | null) {
  // An address may hold hundreds of NFTs without a name, each with one step at most.
  const offered = tokens.filter(
    (token, at) =>
      token.id !== fallback?.id &&
      (token.id === asset || (at < CHART_ASSETS && unnamedUnit(token, token.standard) === undefined)),
  );
  const choices = [
    fallback ? nameAndId(fallback) : (["", terms.hasTokens ? "Value of all" : "Value"] as const),
    ...offered.map(nameAndId),
  ];
  return { token: tokens.find(({ id }) => id === asset) ?? fallback, choices };
}

async function knownAsset(store: Store, text: string): Promise<TokenRow | null> {
  const id = assetId.safeParse(text).data;
  return id === undefined ? null : ((await store.query(assetById, id))?.asset.token ?? null);
}

const nameAndId = (token: ListedNames) => [token.id, symbolAndId(token)] as const;
