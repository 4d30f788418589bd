import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { csvField } from "#lib/contract/csv.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { addressUtxos } from "#lib/questions/address-utxos/answer.ts";
import type { UtxoEntry } from "#lib/questions/address-utxos/contract.ts";
import type { IndexTip } from "#lib/store/store.ts";
import { type Command, parseWords, report, UsageError, withStore, writeData } from "./command.ts";

const FORMATS = ["ndjson", "csv"] as const;
type Format = (typeof FORMATS)[number];

/** The columns of the CSV file. Amounts are in the smallest unit, as in the API. */
const columns: { readonly [head: string]: (entry: UtxoEntry) => string | number } = {
  out_point: ({ outPoint }) => outPoint,
  block_height: ({ blockHeight }) => blockHeight,
  token: ({ token }) => token,
  symbol: ({ tokenInfo }) => tokenInfo.symbol,
  name: ({ tokenInfo }) => tokenInfo.name,
  decimals: ({ tokenInfo }) => tokenInfo.decimals,
  amount: ({ amount }) => amount,
  capacity: ({ capacity }) => capacity,
};

const csvLine = (fields: (string | number)[]): string => `${fields.map(csvField).join(",")}\r\n`;

/** Lines of the API's stream as CSV. Its last line, the cursor, has no place there. */
function toCsv(lines: string): string {
  const rows = lines.split("\n").flatMap((line): string[] => {
    if (line === "" || line.startsWith('{"cursor":')) return [];
    const entry = JSON.parse(line) as UtxoEntry;
    return [csvLine(Object.values(columns).map((column) => column(entry)))];
  });
  return rows.join("");
}

export const exportOutputs: Command = {
  usage: "export ADDRESS [--format ndjson|csv] [--token ID]",
  summary: "Write the unspent outputs of an address to stdout.",
  details: `  --format F   ndjson, by default: what the API streams with Accept: application/x-ndjson, one entry a line and
               then the cursor; or csv
  --token ID   only outputs that hold this asset
Names come from the chain unchanged, except on a terminal. In CSV, text that a spreadsheet would run begins with '.`,
  async run(args) {
    const { values, positionals } = parseWords(args, {
      format: { type: "string", default: "ndjson" },
      token: { type: "string" },
    });
    const [address, ...more] = positionals;
    if (address === undefined || more.length > 0) throw new UsageError("export needs one address");
    const format = formatOf(values.format);
    return withStore(async (store) => {
      const { parse, lines } = addressUtxos.answer(await createService(store, readConfig()));
      const search = new URLSearchParams(values.token === undefined ? {} : { token: values.token });
      const asked = await parse({ address }, search).catch(refuse);
      if (format === "csv") await writeData(csvLine(Object.keys(columns)));
      let tip: IndexTip | null = null;
      for await (const piece of lines(asked)) {
        tip ??= piece.tip;
        // Whoever reads the pipe has enough.
        if (!(await writeData(format === "csv" ? toCsv(piece.text) : piece.text))) return 0;
      }
      if (tip?.coverage) report(`Only these blocks are indexed: ${tip.coverage}`);
      return 0;
    });
  },
};

function formatOf(text: string): Format {
  const format = FORMATS.find((known) => known === text);
  if (!format) throw new UsageError(`--format is ${FORMATS.join(" or ")}, not ${JSON.stringify(text)}`);
  return format;
}

function refuse(error: unknown): never {
  if (!isApiError(error)) throw error;
  throw new UsageError(error.issues.map(({ path, message }) => `${path.at(-1)}: ${message}`).join("; "));
}
