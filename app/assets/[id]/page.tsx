import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { cache } from "react";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Tabs } from "#components/ui/Tabs.tsx";
import { getService } from "#lib/api/service.ts";
import { displayName, displaySymbol } from "#lib/client/chain-text.ts";
import { capitalised, formatCount } from "#lib/client/format.ts";
import { NO_PLACE } from "#lib/client/url-state.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import { assetId } from "#lib/queries/address-utxos/contract.ts";
import { contract as assetHolders } from "#lib/queries/asset-holders/contract.ts";
import { assetMoves, collectionOf, lookAlikes } from "#lib/queries/asset-relations.ts";
import { assetById } from "#lib/queries/assets/read.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import { latestPrices } from "#lib/queries/prices.ts";
import { contract as transaction } from "#lib/queries/transaction/contract.ts";
import type { Store } from "#lib/store/store.ts";
import { decodePart } from "#lib/util/paths.ts";
import { blockNamed, redirectToNow, replacedText } from "../../addresses/[address]/block-named.ts";
import { currentCaller, requireCaller, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { redirectToPlainReferences } from "../../redirect-to.ts";
import { CollectionPart, CollectionView } from "./CollectionView.tsx";
import { Headline } from "./Headline.tsx";
import { Holders, NoHolders } from "./Holders.tsx";
import { LookAlikes } from "./LookAlikes.tsx";
import { holderList } from "./list.ts";
import { Moves } from "./Moves.tsx";
import { NoAsset } from "./NoAsset.tsx";

type Props = PageProps<"/assets/[id]">;

/** Maximum number of blocks on a page of transfers. */
const MOVES = 30;
const LOOK_ALIKES = 11;
const NEIGHBOURS = 12;
const MEMBERS = 60;
/** Latest prices to read for the chart. */
const PRICES = 2_000;

/** The tabs of the page, in their usual order. */
const PARTS = ["holders", "transfers", "collection", "look-alikes"] as const;

/** Title and page share one query. */
const assetAt = cache(async (id: string) => (await getService()).store.query(assetById, id));

async function idOf({ params }: Props): Promise<string> {
  return decodePart((await params).id).trim();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const id = assetId.safeParse(await idOf(props)).data;
  const mayRead = (await currentCaller()) !== null;
  const token = id === undefined || !mayRead ? undefined : (await assetAt(id))?.asset.token;
  if (!token) return { title: "Token" };
  const { tab } = await props.searchParams;
  // The page opens its first part if it does not offer this one.
  const part = PARTS.find((part) => part === tab);
  return {
    title: [
      ...new Set([displaySymbol(token), displayName(token)]),
      ...(part ? [capitalised(part)] : []),
    ].join(" · "),
    alternates: { canonical: `/assets/${id}` },
  };
}

/** The page of an asset, or of a collection. */
export default async function Page(props: Props) {
  const text = await idOf(props);
  const search = await props.searchParams;
  const caller = await requireCaller(`/assets/${encodeURIComponent(text)}${searchText(search)}`);
  const id = assetId.safeParse(text).data;
  const service = await getService();
  const { store } = service;
  const noAsset = async () => <NoAsset isEmpty={(await store.query(chainTip)) === null} />;
  if (id === undefined) return noAsset();
  if (id !== text) redirect(`/assets/${id}${searchText(search)}`);
  redirectToPlainReferences(`/assets/${id}${searchText(search)}`, "at");
  const mayReadHolders = caller.scopes.includes(assetHolders.scope);
  const mayReadMoves = caller.scopes.includes(blockAssetChanges.scope);
  const found = await assetAt(id);
  if (!found) {
    const [after = ""] = [search.after ?? ""].flat();
    const collection = await store.query(collectionOf, { id, after, limit: MEMBERS });
    if (!collection) return noAsset();
    return <CollectionView {...{ id, collection, mayReadHolders }} from={after} />;
  }
  const { asset, tip } = found;
  const { token, price } = asset;
  const { parentId, firstFoundBlock } = token;
  const missing = [!mayReadHolders && "its holders", !mayReadMoves && "the blocks that moved it"].filter(
    Boolean,
  );
  const tipBlock = tip && (await store.query(blockHeader, tip.hash));
  const [alike, collection, prices, firstBlock] = await Promise.all([
    store.query(lookAlikes, { id, limit: LOOK_ALIKES }),
    parentId === "" ? null : store.query(collectionOf, { id: parentId, limit: NEIGHBOURS }),
    store.query(latestPrices, { assetId: id, time: tipBlock?.timestamp ?? 0, limit: PRICES }),
    firstFoundBlock === "" ? null : store.query(blockHeader, firstFoundBlock),
  ]);
  const isOffered = {
    holders: mayReadHolders,
    transfers: mayReadMoves,
    collection: collection !== null,
    "look-alikes": alike.assets.length > 1,
  };
  // The default comes first.
  const order = asset.resembles === "" ? PARTS : new Set(["look-alikes", ...PARTS] as const);
  const parts = [...order].filter((part) => isOffered[part]);
  const current = parts.find((part) => part === search.tab) ?? parts[0];
  const query = new URLSearchParams(searchText(search));
  const at = current === "holders" ? (query.get("at") ?? "") : "";
  const below = query.get("before") ?? "";
  const before = /^\d{1,15}$/.test(below) ? Number(below) : undefined;
  const tabs = parts.map((part, place) => ({
    title: capitalised(part),
    // As of a past block, another number of holders is listed.
    count: part === "holders" && at === "" ? formatCount(asset.holderCount) : undefined,
    href: { ...NO_PLACE, before: "", tab: place === 0 ? "" : part },
    current: part === current,
  }));
  const moves =
    current === "transfers" ? await store.query(assetMoves, { id, before, limit: MOVES + 1 }) : [];
  const shown = { ...shownAsset(token), standard: token.standard };
  const state = at === "" ? undefined : await blockNamed(store, at);
  if (state && "hash" in state) await redirectToNow(store, `/assets/${id}${searchText(search)}`, at, state);
  const holdersFault =
    state === null ? await whyNoState(store, at) : state && "fault" in state && state.fault;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-8">
      <div>
        <PartialIndex tip={tip} />
        <Headline
          asset={asset}
          tip={tip}
          alike={alike.assets}
          prices={prices}
          time={tipBlock?.timestamp ?? 0}
          firstBlock={firstBlock}
        />
      </div>
      {holdersFault ? (
        <NoHolders at={at} fault={holdersFault} tabs={tabs} />
      ) : current === "holders" ? (
        <Holders
          asset={shown}
          supply={token.totalSupply}
          price={price}
          total={asset.holderCount}
          first={await firstPage(service.operations.assetHolders, caller, holderList, { id }, query)}
          tabs={tabs}
        />
      ) : (
        current && (
          <div>
            <Tabs label="Parts of this token" tabs={tabs} />
            <div id="results" tabIndex={-1} className="pt-4 outline-none">
              {current === "transfers" && (
                <Moves
                  asset={shown}
                  moves={moves.slice(0, MOVES)}
                  hasOlder={moves.length > MOVES}
                  mayReadTransactions={caller.scopes.includes(transaction.scope)}
                  before={before}
                />
              )}
              {current === "collection" && collection && (
                <CollectionPart id={parentId} {...{ collection, mayReadHolders }} current={id} />
              )}
              {current === "look-alikes" && <LookAlikes {...alike} />}
            </div>
          </div>
        )
      )}
      {missing.length > 0 && (
        <Notice title={`Your access token does not give access to ${missing.join(" or ")}.`} />
      )}
    </div>
  );
}

const whyNoState = async (store: Store, at: string): Promise<string> =>
  (await replacedText(store, at)) ??
  "No indexed block has this number or hash, or was mined before this date.";
