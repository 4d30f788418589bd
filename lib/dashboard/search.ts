import type { Service } from "#lib/api/service.ts";
import { bareText, type Detected, detect, partsIn } from "#lib/client/detect.ts";
import { formatCount, formatCoverage, formatUtc } from "#lib/client/format.ts";
import { outPointPath, transactionPath } from "#lib/client/paths.ts";
import { type Found, MAX_SEARCH_TEXT, type SearchResult, type SearchResults } from "#lib/client/search.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { type OutPoint, outPointText } from "#lib/contract/ledger.ts";
import { scopes } from "#lib/contract/operation.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { collectionOf } from "#lib/queries/asset-relations.ts";
import { type AssetDetails, type AssetPlace, assetById, assetPage } from "#lib/queries/assets/read.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import {
  abandonedBlock,
  addressText,
  blockAtTime,
  blockHashAt,
  blockHeader,
  chainTip,
  storedHorizon,
} from "#lib/queries/chain.ts";
import type { ListedOutput } from "#lib/queries/listed-outputs.ts";
import { outputCount } from "#lib/queries/output-ages.ts";
import { addressesLike, blocksStarting, transactionsStarting } from "#lib/queries/starts.ts";
import { type TransactionOverview, transactionOverview } from "#lib/queries/transaction-overview.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { flaggerAmong } from "./flags.ts";
import { shownAsset } from "./home.ts";
import { pageData } from "./page-data.ts";

const MAX_ASSETS = 20;
/** Assets per read. A search needs several, because the members of a collection are one result. */
const ASSETS_AT_ONCE = 50;
const MAX_READS = 4;
/** Blocks, transactions and addresses of each kind that a part of them finds. */
const MAX_STARTING = 8;

/** `GET /find?q=`: searches the data that the reader may read. */
export const handleFind = pageData(
  () => scopes,
  async (service, given, _version, caller) => {
    const text = given.get("q") ?? "";
    if (text.length > MAX_SEARCH_TEXT) throw new ApiError("BAD_REQUEST");
    return { body: await findText(service, caller, text) };
  },
);

/** Searches for an address, a block, a transaction or an output, depending on the form of the text, and for assets by name. */
export async function findText(
  service: Service,
  { scopes: allowed }: Pick<AccessToken, "scopes">,
  text: string,
): Promise<SearchResults> {
  const detected = detect(text);
  const may = {
    addresses: allowed.includes(addressUtxos.scope),
    blocks: allowed.includes(blockAssetChanges.scope),
  };
  const { results, notes } = await findDetected(service, may, detected, text);
  if (results.length === 0 && text.trim() !== "" && !(await service.store.query(chainTip))) {
    notes.push("Nothing indexed yet: this server's database is empty.");
  }
  const view = ("view" in detected && detected.view) || "";
  return {
    results: results.map((found) =>
      found.exact && !found.href.includes("?") ? { ...found, href: found.href + view } : found,
    ),
    notes,
  };
}

async function findDetected(
  service: Service,
  may: May,
  detected: Detected,
  text: string,
): Promise<SearchResults> {
  const inBlocks = (find: () => Promise<SearchResults>) => (may.blocks ? find() : notAllowed("blocks"));
  switch (detected.kind) {
    case "empty":
      return only();
    case "address": {
      if (!may.addresses) return notAllowed("addresses");
      const found = await findAddress(service, detected.address);
      return found.results.length > 0 ? found : withStarts(text, found, await findStarts(service, may, text));
    }
    case "block-hash":
      return findHash(service, may, detected.hash);
    case "out-point":
      return may.addresses ? findOutput(service, detected) : notAllowed("outputs");
    case "asset":
      return findHash(service, { addresses: false, blocks: false }, detected.id);
    case "tip":
      return joined(await Promise.all([inBlocks(() => findTip(service)), findAssets(service, text)]));
    case "time":
      return joined(
        await Promise.all([inBlocks(() => findTime(service, detected.time)), findAssets(service, text)]),
      );
    case "block-number": {
      const [block, starts, assets] = await Promise.all([
        inBlocks(() => findHeight(service, detected.height)),
        findStarts(service, may, text),
        findAssets(service, text),
      ]);
      return withStarts(text, joined([block, assets]), starts);
    }
    case "fault": {
      const [starts, assets] = await Promise.all([findStarts(service, may, text), findAssets(service, text)]);
      const found = withStarts(text, assets, starts);
      if (found.results.length > 0) return found;
      const none = "No asset has a name, a symbol or an id that starts with this.";
      if (detected.isName) return nothing(none);
      const { hash, addresses: parts } = partsIn(text);
      const isShortened = may.addresses && parts.some(({ start, end }) => start && end);
      const what = hash?.end ? "block or transaction" : isShortened && "address";
      const fault = what ? `No indexed ${what} starts and ends with this` : detected.message;
      return nothing(`${fault}.`, none);
    }
  }
}

type FoundAsset = Extract<Found, { kind: "asset" }>;
type May = { addresses: boolean; blocks: boolean };

const only = (...results: SearchResult[]): SearchResults => ({ results, notes: [] });
const nothing = (...notes: string[]): SearchResults => ({ results: [], notes });
const joined = (found: SearchResults[]): SearchResults => ({
  results: found.flatMap(({ results }) => results),
  notes: found.flatMap(({ notes }) => notes),
});

/**
 * If nothing else was found, the only thing whose hash, address or id starts with the text is what it names. A name is not:
 * others may imitate it.
 */
function withStarts(text: string, found: SearchResults, starts: SearchResults): SearchResults {
  const all = joined([found, starts]);
  const [one, ...others] = all.results;
  if (!one || others.length > 0) return all;
  const start = partsIn(text).hash?.start;
  const isById = one.kind === "asset" && start !== undefined && one.asset.id.startsWith(`0x${start}`);
  return isById || one === starts.results[0] ? only({ ...one, exact: true }) : all;
}

const notAllowed = async (what: string) => nothing(`Your access token does not give access to ${what}.`);

function withHref(found: Found, exact: boolean): SearchResult {
  return { ...found, exact, href: hrefOf(found) };
}

function hrefOf(found: Found): string {
  switch (found.kind) {
    case "address":
      return `/addresses/${encodeURIComponent(found.address)}`;
    case "output":
      return outPointPath(found.outPoint);
    case "block":
      return `/blocks/${found.hash}`;
    case "transaction":
      return transactionPath(found.hash);
    case "asset":
      return `/assets/${found.asset.id}`;
    case "collection":
      return `/assets/${found.id}`;
  }
}

async function findAddress({ store, parseAddress }: Service, text: string): Promise<SearchResults> {
  try {
    const { key, text: address } = await parseAddress(text);
    const outputs = await store.query(outputCount, key);
    // The link has the form that was typed, so that the page can tell that it redirected.
    const href = `/addresses/${encodeURIComponent(text).replaceAll("%3A", ":")}`;
    return only({ kind: "address", address, outputs, href, exact: true });
  } catch (error) {
    if (!isAddressError(error)) throw error;
    return nothing(`${error.message}.`);
  }
}

async function findHeight({ store }: Service, height: number): Promise<SearchResults> {
  const [hash, tip] = await Promise.all([store.query(blockHashAt, height), store.query(chainTip)]);
  const block = hash === null ? null : await store.query(blockHeader, hash);
  if (block) return only(withHref({ kind: "block", ...block }, true));
  const what = `Block ${formatCount(height)}`;
  if (!tip) return nothing();
  const note =
    height > tip.height
      ? `${what} is beyond the tip: the newest block is ${formatCount(tip.height)}.`
      : `${what} is not indexed. Indexed blocks: ${formatCoverage(tip.coverage ?? "")}.`;
  return nothing(note);
}

async function findTip({ store }: Service): Promise<SearchResults> {
  const tip = await store.query(chainTip);
  const block = tip && (await store.query(blockHeader, tip.hash));
  if (!block) return nothing();
  return only({ kind: "block", ...block, exact: true, href: "/blocks/tip" });
}

async function findTime({ store }: Service, time: number): Promise<SearchResults> {
  const block = await store.query(blockAtTime, time);
  if (block) return only(withHref({ kind: "block", ...block }, true));
  return nothing(`All indexed blocks are later than ${formatUtc(time)}.`);
}

/** Finds what a part of a hash or an address may mean. */
async function findStarts(service: Service, may: May, text: string): Promise<SearchResults> {
  const { store } = service;
  const { hash, addresses: parts } = partsIn(text);
  const limit = MAX_STARTING + 1;
  const hashStart = hash && { start: hash.start, limit };
  const isNamed = (found: string) => hash !== undefined && found.endsWith(hash.end);
  const [allBlocks, allHashes, ...lists] = await Promise.all([
    hashStart && may.blocks ? store.query(blocksStarting, hashStart) : [],
    hashStart && (may.blocks || may.addresses) ? store.query(transactionsStarting, hashStart) : [],
    ...(may.addresses ? parts.map((part) => store.query(addressesLike, { ...part, limit })) : []),
  ]);
  const blocks = allBlocks.filter((block) => isNamed(block.hash));
  const hashes = allHashes.filter(isNamed);
  const addresses = [...new Set(lists.flat())].slice(0, limit);
  const found = await Promise.all([
    ...hashes.slice(0, MAX_STARTING).map((start) => findTransaction(service, may, start, false)),
    ...addresses.slice(0, MAX_STARTING).map(async (start) => {
      const { results } = await findAddress(service, start);
      return results.map((result) => ({ ...result, exact: false }));
    }),
  ]);
  const isCut = [blocks, hashes, addresses].some(({ length }) => length === limit);
  return {
    results: [
      ...blocks.slice(0, MAX_STARTING).map((block) => withHref({ kind: "block", ...block }, false)),
      ...found.flat(),
    ],
    notes: isCut
      ? ["More blocks, transactions or addresses start or end with this. Type more characters."]
      : [],
  };
}

/** Finds a hash, which can be that of a block, a transaction or an address, or the id of an asset or a collection. */
async function findHash(service: Service, may: May, hash: string): Promise<SearchResults> {
  const { store } = service;
  const [blocks, transactions, asset, collection, address] = await Promise.all([
    may.blocks ? findBlock(service, hash) : [],
    may.blocks || may.addresses ? findTransaction(service, may, hash, true) : [],
    store.query(assetById, hash),
    store.query(collectionOf, { id: hash, limit: 1 }),
    may.addresses ? store.query(addressText, hash) : null,
  ]);
  const results = [...blocks, ...transactions];
  for (const found of await foundAssets(service, asset ? [asset.asset] : [])) {
    results.push(withHref(found, true));
  }
  if (collection) results.push(withHref({ kind: "collection", id: hash, name: collection.name }, true));
  if (address !== null) results.push(...(await findAddress(service, address)).results);
  if (results.length > 0) return { results, notes: [] };
  const sought = [may.blocks && "block", (may.blocks || may.addresses) && "transaction", "asset"];
  return nothing(`No ${or(sought)} with this id is indexed.`, ...(await notesOfHorizon(store)));
}

async function findTransaction(
  { store }: Service,
  may: May,
  hash: string,
  exact: boolean,
): Promise<SearchResult[]> {
  const transaction = await store.query(transactionOverview, { hash, from: 0, limit: 0 });
  if (!transaction) return [];
  const found = foundTransaction(hash, transaction, exact);
  if (may.addresses) return [found];
  // Without access to outputs, the block's page has its line.
  const block = transaction.place?.block;
  return block ? [{ ...found, href: `/blocks/${block.hash}?tab=transactions` }] : [];
}

async function notesOfHorizon(store: Store): Promise<string[]> {
  const horizon = await store.query(storedHorizon);
  return horizon < 0 ? [] : [`Outputs spent up to block ${formatCount(horizon)} are not kept here.`];
}

const or = (words: (string | false)[]): string =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words.filter((word) => word !== false));

async function findBlock({ store }: Service, hash: string): Promise<SearchResult[]> {
  const block = await store.query(blockHeader, hash);
  const found = block ?? (await store.query(abandonedBlock, hash));
  if (!found) return [];
  const { height } = found;
  return [withHref({ kind: "block", hash, height, timestamp: block?.timestamp ?? null }, true)];
}

async function findOutput(service: Service, outPoint: OutPoint): Promise<SearchResults> {
  const { store } = service;
  const { transactionHash: hash, outputIndex } = outPoint;
  const transaction = await store.query(transactionOverview, { hash, from: outputIndex, limit: 1 });
  if (!transaction) return nothing("No such transaction is indexed.", ...(await notesOfHorizon(store)));
  const [output] = transaction.outputs;
  if (output?.outputIndex === outputIndex) {
    const owner = (await findAddress(service, output.owner.text)).results;
    return only(foundOutput(output), ...owner.map((found) => ({ ...found, exact: false })));
  }
  const none = `The transaction has no output ${formatCount(outputIndex)}.`;
  return {
    results: [foundTransaction(hash, transaction, false)],
    notes: transaction.outputCount === null ? await notesOfHorizon(store) : [none],
  };
}

const foundTransaction = (
  hash: string,
  { place, outputCount }: TransactionOverview,
  exact: boolean,
): SearchResult => withHref({ kind: "transaction", hash, block: place?.block ?? null, outputCount }, exact);

const foundOutput = (output: ListedOutput): SearchResult =>
  withHref(
    {
      kind: "output",
      outPoint: outPointText(output),
      address: output.owner.text,
      asset: shownAsset(output.token),
      amount: output.amount,
      spentAt: output.isUnspendable ? "never" : (output.spent?.height ?? null),
    },
    true,
  );

/** Converts assets to results. Their flags compare them with each other. */
async function foundAssets({ identity }: Service, found: AssetDetails[]): Promise<FoundAsset[]> {
  const native = (await identity())?.native ?? null;
  const flagsOf = flaggerAmong(found, native);
  return found.map((asset) => {
    const { token, holderCount } = asset;
    return { kind: "asset", asset: shownAsset(token), holders: holderCount, flags: flagsOf(asset) };
  });
}

/** Finds assets by name: exact matches first, then the registry's assets, and dubious ones last. A collection is one result. */
async function findAssets(service: Service, text: string): Promise<SearchResults> {
  const search = bareText(text);
  const isSought = (own: string) => fold(own) === fold(search);
  const assets: AssetDetails[] = [];
  const collections = new Map<string, Found>();
  let after: AssetPlace | undefined;
  let hasMore = true;
  for (let reads = 0; reads < MAX_READS && hasMore; reads++) {
    const page = await service.store.query(assetPage, { search, after, limit: ASSETS_AT_ONCE });
    for (const details of page.rows) {
      const { id, parentId, name } = details.token;
      if (parentId === "" || isSought(id)) assets.push(details);
      else collections.set(parentId, { kind: "collection", id: parentId, name });
    }
    hasMore = page.hasNext;
    after = page.last ?? undefined;
    if (assets.length + collections.size >= MAX_ASSETS) break;
  }
  const ranked = [
    ...(await foundAssets(service, assets)).map((found) => {
      const { id, symbol, name, public: listed } = found.asset;
      const isDubious = found.flags.some(({ strong }) => strong);
      const rank = isSought(id) ? 0 : isDubious ? 4 : isSought(symbol) || isSought(name) ? 1 : listed ? 2 : 3;
      return { rank, result: withHref(found, isSought(id)) };
    }),
    ...collections.values().map((found) => ({ rank: 3, result: withHref(found, false) })),
  ].sort((one, other) => one.rank - other.rank);
  const more = "More tokens have a name, a symbol or an id that starts with this. Type more characters.";
  return {
    results: ranked.slice(0, MAX_ASSETS).map(({ result }) => result),
    notes: hasMore || ranked.length > MAX_ASSETS ? [more] : [],
  };
}

const fold = (text: string): string => text.normalize("NFC").toLowerCase();
