import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { csvField } from "#lib/contract/csv.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { addressUtxos } from "#lib/questions/address-utxos/answer.ts";
import type { UtxoEntry } from "#lib/questions/address-utxos/contract.ts";
import type { IndexTip } from "#lib/store/store.ts";
import { command, oneOf, report, UsageError, withStore, writeData } from "./command.ts";

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

export const exportOutputs = command({
  usage: "export ADDRESS [--format ndjson|csv] [--token ID]",
  summary: "Write the unspent outputs of an address to stdout.",
  details: `  --format F   ndjson, by default: what the API streams with Accept: application/x-ndjson, one entry a line and
               then the cursor; or csv
  --token ID   only outputs that hold this asset
Names come from the chain unchanged, except on a terminal. In CSV, text that a spreadsheet would run begins with '.`,
  options: { format: { type: "string", default: "ndjson" }, token: { type: "string" } },
  takes: [1, 1, "needs one address"],
  async run(values, address) {
    const format = oneOf("--format", ["ndjson", "csv"], values.format);
    await withStore(async (store) => {
      const { parse, lines } = addressUtxos.answer(await createService(store, readConfig()));
      const search = new URLSearchParams(values.token === undefined ? {} : { token: values.token });
      const asked = await parse({ address }, search).catch(refuse);
      if (format === "csv") await writeData(csvLine(Object.keys(columns)));
      let tip: IndexTip | null = null;
      for await (const piece of lines(asked)) {
        tip ??= piece.tip;
        // Whoever reads the pipe has enough.
        if (!(await writeData(format === "csv" ? toCsv(piece.text) : piece.text))) return;
      }
      if (tip?.coverage) report(`Only these blocks are indexed: ${tip.coverage}`);
    });
  },
});

function refuse(error: unknown): never {
  if (!isApiError(error)) throw error;
  throw new UsageError(error.issues.map(({ path, message }) => `${path.at(-1)}: ${message}`).join("; "));
}
