import type { z } from "zod";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { csvField } from "#lib/contract/csv.ts";
import { isApiError } from "#lib/contract/errors.ts";
import type { Contract } from "#lib/contract/operation.ts";
import { addressChanges } from "#lib/questions/address-changes/answer.ts";
import { addressStatement } from "#lib/questions/address-statement/answer.ts";
import type { StatementHolding, StatementLine } from "#lib/questions/address-statement/contract.ts";
import { addressUtxos } from "#lib/questions/address-utxos/answer.ts";
import type { UtxoEntry } from "#lib/questions/address-utxos/contract.ts";
import type { Context, Lines, Operation } from "#lib/questions/operation.ts";
import type { IndexTip } from "#lib/store/store.ts";
import { command, oneOf, report, UsageError, withStore, writeData } from "./command.ts";
import { type Columns, writeParquet } from "./parquet.ts";

/** A list that can be exported, and the columns that its entries have in files. */
interface Exported {
  answer(context: Context): {
    parse(params: Record<string, string>, search: URLSearchParams): Promise<unknown>;
    lines(asked: unknown): AsyncIterable<Lines>;
  };
  columns: Columns<unknown>;
}

/** Whole lines of the API's stream, and the headers that say of which block it is. */
type Piece = { text: string; headers: Lines["headers"] };

/** `columns`: amounts are in the smallest unit, as in the API. */
const exported = <C extends Contract, Asked, Page extends { tip: IndexTip | null }>(
  { answer }: Operation<C, Asked, Page>,
  columns: Columns<z.output<C["entry"]>>,
) => ({ answer, columns }) as Exported;

const text = <Entry>(read: (entry: Entry) => string) => ({ type: "text", read }) as const;
const integer = <Entry>(read: (entry: Entry) => number) => ({ type: "integer", read }) as const;
const amount = <Entry>(read: (entry: Entry) => string) => ({ type: "amount", read }) as const;

const outputColumns = {
  out_point: text((entry: UtxoEntry) => entry.outPoint),
  block_height: integer((entry: UtxoEntry) => entry.blockHeight),
  token: text((entry: UtxoEntry) => entry.token),
  symbol: text((entry: UtxoEntry) => entry.tokenInfo.symbol),
  name: text((entry: UtxoEntry) => entry.tokenInfo.name),
  decimals: integer((entry: UtxoEntry) => entry.tokenInfo.decimals),
  amount: amount((entry: UtxoEntry) => entry.amount),
  capacity: amount((entry: UtxoEntry) => entry.capacity),
};

const outputs = exported(addressUtxos, outputColumns);
const changes = exported(addressChanges, {
  change: text((entry) => entry.change),
  change_height: integer((entry) => entry.changeHeight),
  change_transaction: text((entry) => entry.changeTransaction),
  ...outputColumns,
});
const statement = exported(addressStatement, {
  height: integer((line) => line.height),
  block_hash: text((line) => line.blockHash),
  time: text((line) => line.time),
  token: text((line) => line.token),
  opening: amount((line) => line.opening),
  in: amount((line) => line.in),
  out: amount((line) => line.out),
  closing: amount((line) => line.closing),
  price_usd: text((line) => line.priceUsd ?? ""),
  value_usd: text((line) => line.valueUsd ?? ""),
});

/**
 * The entries of the stream's lines. Its last line, the cursor, is none; but what a statement says there is held becomes lines
 * without a time, which open and close with it.
 */
const entriesOf = ({ text, headers = {} }: Piece): unknown[] =>
  text.split("\n").flatMap((line) => {
    if (line === "") return [];
    const entry = JSON.parse(line) as object;
    if (!("cursor" in entry)) return [entry];
    const { holdings = [] } = entry as { holdings?: StatementHolding[] };
    return holdings.map(({ token, amount }): StatementLine => {
      const [height, blockHash] = [Number(headers["X-Block-Height"]), headers["X-Block-Hash"]!];
      return { height, blockHash, time: "", token, opening: amount, in: "0", out: "0", closing: amount };
    });
  });

async function* eachEntry(pieces: AsyncIterable<Piece>): AsyncGenerator<unknown> {
  for await (const piece of pieces) yield* entriesOf(piece);
}

const csvLine = (fields: (string | number)[]): string => `${fields.map(csvField).join(",")}\r\n`;

async function writeText(pieces: AsyncIterable<Pick<Piece, "text">>): Promise<void> {
  // Whoever reads the pipe may have enough.
  for await (const { text } of pieces) if (!(await writeData(text))) return;
}

type Write = (pieces: AsyncIterable<Piece>, columns: Columns<unknown>) => Promise<void>;

const formats = {
  ndjson: writeText,
  async csv(pieces, columns) {
    const fields = Object.values(columns);
    async function* rows() {
      yield { text: csvLine(Object.keys(columns)) };
      for await (const piece of pieces) {
        const lines = entriesOf(piece).map((entry) => csvLine(fields.map(({ read }) => read(entry))));
        yield { text: lines.join("") };
      }
    }
    await writeText(rows());
  },
  async parquet(pieces, columns) {
    if (process.stdout.isTTY)
      throw new UsageError("--format parquet is not text: write it to a file or a pipe");
    await writeParquet(eachEntry(pieces), columns, writeData);
  },
} satisfies Record<string, Write>;
const formatNames = Object.keys(formats) as (keyof typeof formats)[];

export const exportOutputs = command({
  usage:
    "export ADDRESS [--changes | --statement [--value usd]] [--from BLOCK] [--to BLOCK] [--format ndjson|csv|parquet] [--token ID]",
  summary: "Write the unspent outputs, the changes or the statement of an address to stdout.",
  details: `  --format F   ndjson, by default: what the API streams with Accept: application/x-ndjson, one entry a line and
               then the cursor; csv; or parquet
  --token ID   only outputs that hold this asset
  --changes    each output that was created or spent, in the order in which it happened
  --statement  what each block brought and took, by token; with --value usd, prices and values, too. In CSV and
               Parquet, the last lines have no time: they are what is held as of the last block
  --from B     with these two: only what happened after this block, a height or a hash
  --to B       and up to this block, by default the tip
Names come from the chain unchanged, except on a terminal. In CSV, text that a spreadsheet would run begins with '.
In Parquet, an amount is a DECIMAL(38,0), null if it has more digits, and exact text in a second column.`,
  options: {
    format: { type: "string", default: "ndjson" },
    token: { type: "string" },
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
    if (!values.statement && values.value !== undefined) throw new UsageError("--value needs --statement");
    const { answer, columns } = values.statement ? statement : values.changes ? changes : outputs;
    await withStore(async (store) => {
      const { parse, lines } = answer(await createService(store, readConfig()));
      const { token, from, to, value } = values;
      const given = Object.entries({ token, from, to, value }).filter(([, text]) => text !== undefined);
      const search = new URLSearchParams(given as [string, string][]);
      const asked = await parse({ address }, search).catch(refuse);
      let coverage = "";
      async function* pieces() {
        let headers: Piece["headers"];
        try {
          for await (const piece of lines(asked)) {
            coverage ||= piece.tip?.coverage ?? "";
            headers = piece.headers ?? headers;
            yield { text: piece.text, headers };
          }
        } catch (error) {
          refuse(error);
        }
      }
      await write(pieces(), columns);
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
