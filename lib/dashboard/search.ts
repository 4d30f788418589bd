import type { Service } from "#lib/api/service.ts";
import { createFlagger, namesakesOf, withImitation } from "#lib/client/chain-text.ts";
import { type Detected, detect, searchPath } from "#lib/client/detect.ts";
import { formatCount, formatCoverage } from "#lib/client/format.ts";
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
  blockHashAt,
  blockHeader,
  chainTip,
  storedHorizon,
} from "#lib/queries/chain.ts";
import { outputCount } from "#lib/queries/output-ages.ts";
import type { OutputRow } from "#lib/queries/transaction-outputs/read.ts";
import { type TransactionOverview, transactionOverview } from "#lib/queries/transaction-overview.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { shownAsset } from "./home.ts";
import { pageData } from "./page-data.ts";

const MAX_ASSETS = 20;
/** Assets per read. A search needs several, because the members of a collection are one result. */
const ASSETS_AT_ONCE = 50;
const MAX_READS = 4;
const OUTPUTS_SHOWN = 50;

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
  const view = ("view" in detected && detected.view) || "";
  return {
    results: results.map((found) => (found.exact ? { ...found, href: found.href + view } : found)),
    notes,
  };
}

async function findDetected(
  service: Service,
  may: May,
  detected: Detected,
  text: string,
): Promise<SearchResults> {
  switch (detected.kind) {
    case "empty":
      return only();
    case "address":
      return may.addresses ? findAddress(service, detected.address) : notAllowed("addresses");
    case "block-hash":
      return findHash(service, may, detected.hash);
    case "out-point":
      return may.addresses ? findOutput(service, detected) : notAllowed("outputs");
    case "asset":
      return findHash(service, { addresses: false, blocks: false }, detected.id);
    case "block-number": {
      const [block, assets] = await Promise.all([
        may.blocks ? findHeight(service, detected.height) : notAllowed("blocks"),
        findAssets(service, text),
      ]);
      return { results: [...block.results, ...assets.results], notes: [...block.notes, ...assets.notes] };
    }
    case "fault": {
      const { results, notes } = await findAssets(service, text);
      if (results.length > 0) return { results, notes };
      const none = "No asset has a name, a symbol or an id that starts with this.";
      return detected.isName ? nothing(none) : nothing(`${detected.message}.`, none);
    }
  }
}

type FoundAsset = Extract<Found, { kind: "asset" }>;
type May = { addresses: boolean; blocks: boolean };

const only = (...results: SearchResult[]): SearchResults => ({ results, notes: [] });
const nothing = (...notes: string[]): SearchResults => ({ results: [], notes });
const notAllowed = (what: string) => nothing(`Your access token does not give access to ${what}.`);

function withHref(found: Found, exact: boolean): SearchResult {
  return { ...found, exact, href: hrefOf(found) };
}

function hrefOf(found: Found): string {
  switch (found.kind) {
    case "address":
    case "output":
      return `/addresses/${encodeURIComponent(found.address)}`;
    case "block":
      return `/blocks/${found.hash}`;
    case "transaction":
      return searchPath(found.hash);
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
  if (!tip) return nothing("Nothing indexed yet.");
  const note =
    height > tip.height
      ? `${what} is beyond the tip: the newest block is ${formatCount(tip.height)}.`
      : `${what} is not indexed. Indexed blocks: ${formatCoverage(tip.coverage ?? "")}.`;
  return nothing(note);
}

/** Finds a hash, which can be that of a block, a transaction or an address, or the id of an asset or a collection. */
async function findHash(service: Service, may: May, hash: string): Promise<SearchResults> {
  const { store } = service;
  const [blocks, transaction, asset, collection, address] = await Promise.all([
    may.blocks ? findBlock(service, hash) : [],
    store.query(transactionOverview, { hash, from: 0, limit: may.addresses ? OUTPUTS_SHOWN : 0 }),
    store.query(assetById, hash),
    store.query(collectionOf, { id: hash, limit: 1 }),
    may.addresses ? store.query(addressText, hash) : null,
  ]);
  const results = [...blocks];
  if (transaction && (may.blocks || may.addresses)) {
    results.push(
      foundTransaction(hash, transaction, true),
      ...transaction.outputs.map((output) => foundOutput(output, false)),
    );
  }
  for (const found of await foundAssets(service, asset ? [asset.asset] : [])) {
    results.push(withHref(found, true));
  }
  if (collection) results.push(withHref({ kind: "collection", id: hash, name: collection.name }, true));
  if (address !== null) results.push(...(await findAddress(service, address)).results);
  const hidden = (transaction?.outputCount ?? 0) > OUTPUTS_SHOWN && may.addresses;
  const lacking = transaction ? transaction.outputCount === null : results.length === 0;
  const some = `The first ${OUTPUTS_SHOWN} outputs of the transaction are listed: its hash with an index finds any other.`;
  const sought = [may.blocks && "block", (may.blocks || may.addresses) && "transaction", "asset"];
  const none = `No ${or(sought)} with this id is indexed.`;
  const notes = results.length === 0 ? [none] : hidden ? [some] : [];
  return { results, notes: lacking ? [...notes, ...(await notesOfHorizon(store))] : notes };
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

async function findOutput({ store }: Service, outPoint: OutPoint): Promise<SearchResults> {
  const { transactionHash: hash, outputIndex } = outPoint;
  const transaction = await store.query(transactionOverview, { hash, from: outputIndex, limit: 1 });
  if (!transaction) return nothing("No such transaction is indexed.", ...(await notesOfHorizon(store)));
  const [output] = transaction.outputs;
  const within = foundTransaction(hash, transaction, false);
  if (output?.outputIndex === outputIndex) return only(foundOutput(output, true), within);
  const none = `The transaction has no output ${formatCount(outputIndex)}.`;
  return {
    results: [within],
    notes: transaction.outputCount === null ? await notesOfHorizon(store) : [none],
  };
}

const foundTransaction = (
  hash: string,
  { place, outputCount }: TransactionOverview,
  exact: boolean,
): SearchResult => withHref({ kind: "transaction", hash, block: place?.block ?? null, outputCount }, exact);

const foundOutput = (output: OutputRow, exact: boolean): SearchResult =>
  withHref(
    {
      kind: "output",
      outPoint: outPointText(output),
      address: output.owner.text,
      asset: shownAsset(output.token),
      amount: output.amount,
      spentAt: output.isUnspendable ? "never" : (output.spent?.height ?? null),
    },
    exact,
  );

/** Converts assets to results. Their flags compare them with each other. */
async function foundAssets({ identity }: Service, found: AssetDetails[]): Promise<FoundAsset[]> {
  const native = (await identity())?.native ?? null;
  const flagsOf = createFlagger({ native, ...namesakesOf(found.map(({ token }) => token)) });
  return found.map(({ token, holderCount, resembles }) => {
    const flags = withImitation(flagsOf(token), resembles);
    return { kind: "asset", asset: shownAsset(token), holders: holderCount, flags };
  });
}

/** Finds assets by name: exact matches first, then the registry's assets, and dubious ones last. A collection is one result. */
async function findAssets(service: Service, text: string): Promise<SearchResults> {
  const search = text.trim();
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
  const more = "More tokens have a name, a symbol or an id that starts with this: type more of it.";
  return {
    results: ranked.slice(0, MAX_ASSETS).map(({ result }) => result),
    notes: hasMore || ranked.length > MAX_ASSETS ? [more] : [],
  };
}

const fold = (text: string): string => text.normalize("NFC").toLowerCase();
