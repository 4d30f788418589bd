import { exactUnits } from "#lib/client/chain-text.ts";
import type { WalkOptions } from "#lib/client/export.ts";
import { declareList, pathOf, requestPage, type ViewOf } from "#lib/client/list.ts";
import { endlessQuery, type FirstAnswer } from "#lib/client/queries.ts";
import { choiceField, pageField, textField } from "#lib/client/url-state.ts";
import type { UtxoEntry, UtxoList } from "#lib/contract/endpoints.ts";

/** Rows that one request of the endless list brings. */
export const PAGE_SIZE = 100;
/** Rows of one request of an export: the API's own limit. */
const WALK_PAGE_SIZE = 1000;

const splitOutPoint = ({ outPoint }: UtxoEntry) => outPoint.split(":");

/** The unspent outputs of an address. */
export const utxoList = declareList({
  name: "utxos",
  path: "/v0/addresses/{address}/utxos",
  idOf: (entry) => entry.outPoint,
  fields: {
    /** `""` for all. */
    token: textField,
    order: choiceField(["asc", "desc"]),
    flagged: choiceField(["hide", "show"]),
    /** The cursor that the list starts after. */
    from: textField,
    /** The place of its first row in the whole list; 1 if `from` is a link's and nothing is known of it. */
    row: pageField,
  },
  query: {
    token: ({ token }) => token,
    order: ({ order }) => (order === "desc" ? order : undefined),
    // The pages go on by cursor.
    after: () => undefined,
    cursor: ({ from }) => from,
    include: () => "kind",
    pageSize: () => PAGE_SIZE,
  },
  csv: {
    outPoint: [
      ["out_point", ({ outPoint }) => outPoint],
      ["transaction_hash", (entry) => splitOutPoint(entry)[0] ?? ""],
      ["output_index", (entry) => splitOutPoint(entry)[1] ?? ""],
    ],
    blockHeight: [["block_height", ({ blockHeight }) => blockHeight]],
    token: [["token", ({ token }) => token]],
    tokenInfo: [
      ["symbol", ({ tokenInfo }) => tokenInfo.symbol],
      ["name", ({ tokenInfo }) => tokenInfo.name],
      ["decimals", ({ tokenInfo }) => tokenInfo.decimals],
    ],
    amount: [
      ["amount", ({ amount }) => amount],
      ["amount_in_units", ({ amount, tokenInfo }) => exactUnits(amount, tokenInfo)],
    ],
    capacity: [["capacity", ({ capacity }) => capacity]],
    kind: [["kind", ({ kind }) => kind ?? ""]],
    until: [["until", ({ until }) => until ?? ""]],
    compensation: [["compensation", ({ compensation }) => compensation ?? ""]],
  },
});

export type UtxoView = ViewOf<typeof utxoList>;

/** The request of the list's page that a view starts with, as path and query. */
export function utxosPath(address: string, view: UtxoView): string {
  return pathOf(utxoList, { address }, view);
}

/** The list from where the view starts, page after page. */
export function utxosQuery(address: string, view: UtxoView, first: FirstAnswer<UtxoList> | null = null) {
  return endlessQuery<UtxoEntry>({
    path: utxosPath(address, view),
    from: view.from,
    idOf: utxoList.idOf,
    read: (cursor, signal) => requestPage(utxoList, { address }, view, { cursor }, signal),
    readBefore: async (after, signal) => {
      const order = view.order === "asc" ? "desc" : "asc";
      const answer = await requestPage(utxoList, { address }, view, { cursor: "", after, order }, signal);
      const { result, hasNext } = answer.data;
      const data = { result: result.toReversed(), hasNext: true, hasEarlier: hasNext, lastCursor: "" };
      return { ...answer, data };
    },
    first,
  });
}

/** Reads every output of the list, from its start to its end. Throws what stopped it. */
export async function walkUtxos(address: string, view: UtxoView, options: WalkOptions<UtxoEntry>) {
  const { walkCursors } = await import("#lib/client/export.ts");
  const paging = { pageSize: WALK_PAGE_SIZE };
  await walkCursors({
    ...options,
    idOf: utxoList.idOf,
    read: (cursor) => requestPage(utxoList, { address }, view, { ...paging, cursor }, options.signal),
  });
}
