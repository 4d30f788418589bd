import type { z } from "zod";
import type { Alike } from "#lib/contract/operation.ts";
import type { Store } from "#lib/store/store.ts";
import { type IncludedRow, includedFields, outputFields, withIncluded } from "../address-utxos/include.ts";
import { type Codec, literal, object, optional, plainText } from "../codec.ts";
import { jsonPlaces } from "../cursor.ts";
import type { ListedOutput } from "../listed-outputs.ts";
import type { Context } from "../operation.ts";
import { type Rows, walk } from "../walk.ts";
import { contract, type listOfTransaction, type OutputEntry } from "./contract.ts";
import { outputsOfTransaction } from "./read.ts";
import { reference } from "./reference.ts";

type Row = ListedOutput & IncludedRow;
type Included = Pick<z.output<(typeof listOfTransaction)["query"]>, "include" | "value">;

/** The token of outputs that are not indexed. */
const UNKNOWN_TOKEN = {
  ...{ layer: 2, parentId: "", totalSupply: "", description: "", public: false, firstFoundBlock: "" },
  ...{ firstMintAt: "", keywords: "", id: "", name: "", icon: "", symbol: "", decimals: 0, standard: "" },
};

/** Blanks what only an import or the node said about an output whose block is not indexed. */
const blank = (row: ListedOutput, { include, value }: Included): Row => ({
  ...row,
  ...{ token: UNKNOWN_TOKEN, amount: "", capacity: "", owner: { text: "" } },
  ...(include.includes("kind") && { kind: "", until: "", compensation: "" }),
  ...(include.includes("time") && { blockTime: null }),
  ...(include.includes("block") && { blockHash: "" }),
  ...(value && { usd: null }),
});

type OutputPage = Omit<Rows<ListedOutput, unknown>, "last">;

/** Adds what the request includes, and leaves out what is not indexed. Throws as `withIncluded` does. */
export async function shownOutputs<Page extends OutputPage>(
  store: Store,
  page: Page,
  request: Included,
): Promise<Page & { rows: Row[] }> {
  const indexed: OutputPage = { ...page, rows: page.rows.filter(({ height }) => height >= 0) };
  const { rows } = await withIncluded<ListedOutput, OutputPage>(
    store,
    indexed,
    request,
    ({ owner }) => owner,
  );
  const included = rows.values();
  const shown = page.rows.map((row): Row => {
    if (row.height < 0) return blank(row, request);
    const known = included.next().value!;
    return known.isUnspendable && known.kind !== undefined ? { ...known, until: "never" } : known;
  });
  return { ...page, rows: shown };
}

type Spender = NonNullable<ListedOutput["spent"]>;
const spender = object<Spender, NonNullable<OutputEntry["spent"]>>({
  transaction: plainText((by) => by.transactionHash),
  height: literal((by) => by.height),
  time: plainText((by) => new Date(by.timestamp).toISOString()),
});

const NOBODY = {};

export const shownOutput = (base: string): Codec<Row, OutputEntry> =>
  optional<Row, OutputEntry>(
    {
      address: plainText((row) => row.owner.text),
      ...outputFields(base),
      blockHeight: literal(({ height }) => (height < 0 ? null : height)),
      spent: {
        value: ({ spent }) => spent && spender.value(spent),
        json: ({ spent }) => (spent ? spender.json(spent) : "null"),
        of: ({ spent }) => spent ?? NOBODY,
      },
    },
    includedFields,
  );

type ListContract = Alike<typeof contract>;

/** Serves a list of what a transaction spends or creates. */
export const listOf = (contract: ListContract, side: "inputs" | "outputs") => (context: Context) =>
  walk<ListContract, object, Row, number>(contract, context, {
    places: jsonPlaces(contract.operationId),
    start: async ({ cursor, firstIndex }) => (cursor ? undefined : firstIndex),
    async rows({ hash, include, value }, window) {
      const page = await context.store.query(outputsOfTransaction, { hash, side, ...window });
      return shownOutputs(context.store, page, { include, value });
    },
    entry: shownOutput(context.base),
  });

export const transactionOutputs = { contract, reference, implement: listOf(contract, "outputs") };
