import type { z } from "zod";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { isApiError } from "#lib/contract/errors.ts";
import type { Contract } from "#lib/contract/operation.ts";
import { addressChanges } from "#lib/queries/address-changes/response.ts";
import type { StatementHolding, StatementLine } from "#lib/queries/address-statement/contract.ts";
import { addressStatement } from "#lib/queries/address-statement/response.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import { addressUtxos } from "#lib/queries/address-utxos/response.ts";
import type { Context, Lines, Operation } from "#lib/queries/operation.ts";
import { tokensByAssetId } from "#lib/queries/tokens.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { amountColumns, assetColumns, type CsvColumn, csvHead, csvRow, plainColumn } from "#lib/util/csv.ts";
import { command, oneOf, report, UsageError, withStore, writeData } from "./command.ts";
import { writeParquet } from "./parquet.ts";

type Columns<Entry> = readonly CsvColumn<Entry>[];

/** A list that can be exported, and the columns of its entries. */
interface Exported {
  implement(context: Context): {
    parse(params: Record<string, string>, search: URLSearchParams): Promise<unknown>;
    lines(input: unknown): AsyncIterable<Lines>;
  };
  columns: Columns<unknown>;
}

/** Whole lines of the API's stream, and the headers that name its block. */
type Piece = { text: string; headers: Lines["headers"] };

const exported = <C extends Contract, Asked, Page extends { tip: IndexTip | null }>(
  { implement }: Operation<C, Asked, Page>,
  columns: Columns<z.output<C["entry"]>>,
) => ({ implement, columns }) as Exported;

const plain = <Name extends string>(...names: Name[]) => names.map(plainColumn);
const assetOfOutput = ({ tokenInfo }: UtxoEntry) => tokenInfo;
const outputColumns: Columns<UtxoEntry> = [
  ...plain("outPoint", "blockHeight", "token"),
  ...assetColumns(assetOfOutput),
  ...amountColumns("amount", assetOfOutput),
  ...plain("capacity"),
];

const outputs = exported(addressUtxos, outputColumns);
const changes = exported(addressChanges, [
  ...plain("change", "changeHeight", "changeTransaction"),
  ...outputColumns,
]);
/** Statement lines for CSV and Parquet are requested with `include=token`. */
const assetOfLine = ({ tokenInfo }: StatementLine) => tokenInfo!;
const statement = exported(addressStatement, [
  ...plain("height", "blockHash", "time", "token"),
  ...assetColumns(assetOfLine),
  ...amountColumns("opening", assetOfLine),
  ...amountColumns("in", assetOfLine),
  ...amountColumns("out", assetOfLine),
  ...amountColumns("closing", assetOfLine),
  ...plain("priceUsd", "valueUsd"),
]);

/** The entries of a piece. A statement's last line has a cursor and holdings, which become lines without a time. */
async function entriesOf({ text, headers = {} }: Piece, store: Store): Promise<unknown[]> {
  const entries = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
  if (!("cursor" in (entries.at(-1) ?? {}))) return entries;
  const { holdings = [] } = entries.pop() as { holdings?: StatementHolding[] };
  const assetIds = holdings.map(({ token }) => token);
  const tokens = await store.query(tokensByAssetId, assetIds);
  const block = { height: Number(headers["X-Block-Height"]), blockHash: headers["X-Block-Hash"]!, time: "" };
  const held = holdings.map(({ token, amount }): StatementLine => {
    const tokenInfo = tokens.get(token)!;
    return { ...block, token, tokenInfo, opening: amount, in: "0", out: "0", closing: amount };
  });
  return [...entries, ...held];
}

async function writeText(pieces: AsyncIterable<Pick<Piece, "text">>): Promise<void> {
  // The reader of the pipe may close it early.
  for await (const { text } of pieces) if (!(await writeData(text))) return;
}

type Write = (pieces: AsyncIterable<Piece>, columns: Columns<unknown>, store: Store) => Promise<void>;

const formats = {
  ndjson: writeText,
  async csv(pieces, columns, store) {
    async function* rows() {
      yield { text: csvHead(columns) };
      for await (const piece of pieces) {
        const entries = await entriesOf(piece, store);
        yield { text: entries.map((entry) => csvRow(columns, entry)).join("") };
      }
    }
    await writeText(rows());
  },
  async parquet(pieces, columns, store) {
    if (process.stdout.isTTY)
      throw new UsageError("--format parquet is not text: write it to a file or a pipe");
    async function* entries() {
      for await (const piece of pieces) yield* await entriesOf(piece, store);
    }
    await writeParquet(entries(), columns, writeData);
  },
} satisfies Record<string, Write>;
const formatNames = Object.keys(formats) as (keyof typeof formats)[];

export const exportOutputs = command({
  usage:
    "export ADDRESS [--at BLOCK | --changes | --statement [--value usd]] [--from BLOCK] [--to BLOCK] [--format ndjson|csv|parquet] [--token ID]",
  summary: "Write the unspent outputs, the changes or the statement of an address to stdout.",
  details: `  --format F   ndjson (the default), csv or parquet. ndjson is what the API streams: one entry per line, and
               then the cursor
  --token ID   only outputs that hold this asset
  --at B       the outputs that were unspent as of this block (height, hash, date or tip). Without it, the list follows
               the tip, so that a long file may contain outputs of several blocks
  --changes    each output that was created or spent, in the order in which it happened
  --statement  what came in and went out in each block, by token. --value usd adds prices and values. In CSV and
               Parquet, the last lines have no time: they are the holdings as of the last block
  --from B     with --changes or --statement: only what happened after this block (height, hash or date)
  --to B       with --changes or --statement: only what happened up to this block, by default the tip
Each row of CSV and Parquet has the address. Amounts are in the smallest unit, and as …_in_units in whole units, which
are empty if the token's decimals are unknown. Names come from the chain unchanged, except on a terminal. In CSV, text that
a spreadsheet would run begins with '.
In Parquet, a time is a TIMESTAMP. An amount is a DECIMAL(38,0), null if it has more digits, and exact text in a second
column.`,
  options: {
    format: { type: "string", default: "ndjson" },
    token: { type: "string" },
    at: { type: "string" },
    changes: { type: "boolean" },
    statement: { type: "boolean" },
    from: { type: "string" },
    to: { type: "string" },
    value: { type: "string" },
  },
  takes: [1, 1, "needs one address"],
  async run(values, address) {
    const write: Write = formats[oneOf("--format", formatNames, values.format)];
    if (values.changes && values.statement) throw new UsageError("give --changes or --statement, not both");
    if (!(values.changes || values.statement) && (values.from ?? values.to) !== undefined)
      throw new UsageError("--from and --to need --changes or --statement");
    if ((values.changes || values.statement) && values.at !== undefined)
      throw new UsageError("--at is for outputs: give --to with --changes or --statement");
    if (!values.statement && values.value !== undefined) throw new UsageError("--value needs --statement");
    const { implement, columns } = values.statement ? statement : values.changes ? changes : outputs;
    await withStore(async (store) => {
      const service = await createService(store, readConfig());
      const { parse, lines } = implement(service);
      const { token, at, from, to, value } = values;
      const include = values.statement && values.format !== "ndjson" ? "token" : undefined;
      const given = Object.entries({ token, at, from, to, value, include }).filter(
        ([, text]) => text !== undefined,
      );
      const search = new URLSearchParams(given as [string, string][]);
      const asked = await parse({ address }, search).catch(refuse);
      let coverage = "";
      async function* pieces() {
        let headers: Piece["headers"];
        let hasTip = false;
        try {
          for await (const piece of lines(asked)) {
            coverage ||= piece.tip?.coverage ?? "";
            hasTip ||= piece.tip !== null;
            headers = piece.headers ?? headers;
            yield { text: piece.text, headers };
          }
          if (!hasTip) report("Nothing is indexed");
        } catch (error) {
          refuse(error);
        }
      }
      const { text: subject } = await service.parseAddress(address!);
      await write(pieces(), [["address", () => subject], ...columns], store);
      if (coverage) report(`Only these blocks are indexed: ${coverage}`);
    });
  },
});

function refuse(error: unknown): never {
  if (!isApiError(error)) throw error;
  const why = error.issues.map(({ path, message }) => [...path.slice(-1), message].join(": ")).join("; ");
  if (error.code === "BAD_REQUEST") throw new UsageError(why);
  throw new Error(why || (error.code === "NOT_FOUND" ? "No such block is indexed" : error.message));
}
