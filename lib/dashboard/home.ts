import type { Service } from "#lib/api/service.ts";
import {
  isPeriod,
  LATEST,
  type LatestBlocks,
  LISTED,
  MOVED,
  type Moved,
  type NewestAsset,
  PERIODS,
  type Period,
  type SinceVisit,
  VISITS,
} from "#lib/client/home.ts";
import { ApiError, isApiError } from "#lib/contract/errors.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { latestBlocks } from "#lib/queries/latest-blocks.ts";
import { movedMost } from "#lib/queries/moved-most.ts";
import { newestAssets } from "#lib/queries/newest-assets.ts";
import { sinceVisits } from "#lib/queries/visits.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import { flaggerAmong } from "./flags.ts";
import { addressKeysOf, pageData, requireHash, requireHeight } from "./page-data.ts";
import { shared } from "./shared.ts";

export const shownAsset = ({ id, name, symbol, icon, decimals, public: isPublic }: TokenRow) => {
  return { id, name, symbol, icon, decimals, public: isPublic };
};

export const newestBlocks = shared(async ({ store }): Promise<LatestBlocks> => {
  const assets: LatestBlocks["assets"] = {};
  const blocks = (await store.query(latestBlocks, LATEST)).map(({ largest, ...block }, i) => {
    const named = largest.slice(0, i < LISTED ? undefined : 1).map(({ asset, volumeUsd }) => {
      assets[asset.id] = shownAsset(asset);
      return { id: asset.id, volumeUsd };
    });
    return { ...block, largest: named };
  });
  return { blocks, assets };
});

const movedIn = (period: number) =>
  shared(async ({ store }): Promise<Moved | null> => {
    const moved = await store.query(movedMost, { period, limit: MOVED });
    if (!moved) return null;
    const { tip, after, isWhole } = moved;
    const rows = moved.rows.map((row) => ({ ...row, asset: shownAsset(row.asset) }));
    return { tip: { height: tip.height, hash: tip.hash }, after, isWhole, rows };
  });
/** The assets that moved most in each period; null while the database is empty. */
export const moved = Object.fromEntries(
  Object.entries(PERIODS).map(([name, period]) => [name, movedIn(period)]),
) as Record<Period, ReturnType<typeof movedIn>>;

/** The most assets that are read to find some without flags. */
const NEWEST = 10 * MOVED;

/** The newest assets, until there are enough without flags: the page hides the others. */
export const newest = shared(async ({ store, identity }): Promise<NewestAsset[]> => {
  const assets = await store.query(newestAssets, NEWEST);
  const native = (await identity())?.native ?? null;
  const first = (count: number) => {
    const listed = assets.slice(0, count);
    const flagsOf = flaggerAmong(listed, native);
    return listed.map((asset): NewestAsset => {
      const { token, members, holderCount } = asset;
      const { standard, firstMintAt } = token;
      return { asset: shownAsset(token), standard, members, holderCount, firstMintAt, flags: flagsOf(asset) };
    });
  };
  let listed = first(MOVED);
  const missing = () => MOVED - listed.filter(({ flags }) => flags.length === 0).length;
  while (missing() > 0 && listed.length < assets.length) listed = first(listed.length + missing());
  return listed;
});

/** `GET /latest-blocks`. A page requests it once per tip, and also `GET /moved` with a `period`. */
export const handleLatestBlocks = pageData(
  () => blockAssetChanges.scope,
  async (service, _search, version) => ({ body: await newestBlocks(service, version) }),
);

export const handleMoved = pageData(
  () => blockAssetChanges.scope,
  async (service, search, version) => {
    const period = search.get("period");
    if (!isPeriod(period)) throw new ApiError("BAD_REQUEST");
    return { body: await moved[period](service, version) };
  },
);

/**
 * `GET /visits`: changes to addresses since they were last read, each given as `of=address,height,hash`. With `value=usd` also
 * what they hold now.
 */
export const handleVisits = pageData(
  () => addressUtxos.scope,
  async (service, search) => {
    const given = search.getAll("of");
    if (given.length > VISITS) throw new ApiError("BAD_REQUEST");
    const visits = await Promise.all(given.map((visit) => readVisit(service, visit)));
    const known = visits.filter((visit) => visit !== null);
    const changes = await service.store.query(sinceVisits, known);
    const body: SinceVisit[] = [];
    for (const visit of visits) {
      const since: SinceVisit = visit ? changes[known.indexOf(visit)]! : UNKNOWN;
      if (search.get("value") !== "usd") body.push(since);
      else body.push({ ...since, valueUsd: visit && (await valueHeld(service, visit.addressKey)) });
    }
    return { body };
  },
);

/** Stands for the changes of an address of another chain or network, which the browser may have visited at this origin. */
const UNKNOWN: SinceVisit = { isReplaced: false, isMore: true, transactions: 0, created: 0, spent: 0 };

/** Null if nothing that the address holds has a price. */
async function valueHeld({ store }: Service, addressKey: string): Promise<string | null> {
  const { tokenCount, unpricedCount, valueUsd } = await store.query(addressOverview, {
    addressKey,
    limit: 0,
  });
  return tokenCount > unpricedCount || tokenCount === 0 ? valueUsd : null;
}

async function readVisit(service: Service, visit: string) {
  const [address = "", height = "", hash = ""] = visit.split(",");
  const place = { height: requireHeight(height), hash: requireHash(hash) };
  try {
    const [addressKey = ""] = await addressKeysOf(service, new URLSearchParams({ address }));
    return { addressKey, ...place };
  } catch (error) {
    if (isApiError(error) && error.code === "BAD_REQUEST") return null;
    throw error;
  }
}
