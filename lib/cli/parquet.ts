import { ByteWriter, parquetWriteRows } from "hyparquet-writer";
import type { CsvColumn } from "#lib/util/csv.ts";

/** Rows that are held in memory and written together. */
const ROWS_OF_GROUP = 50_000;
const DECIMAL = { precision: 38, scale: 0 };

const STORED_AS = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer: { type: "INT64" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  amount: {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: 16,
    converted_type: "DECIMAL",
    ...DECIMAL,
    logical_type: { type: "DECIMAL", ...DECIMAL },
  },
} as const;

type Type = keyof typeof STORED_AS;
const NULLABLE: readonly Type[] = ["amount", "time"];

/** Columns of integers below 2^63, and of decimal digits. `time` is in RFC 3339 or empty, and all others are text. */
const INTEGERS = ["height", "block_height", "change_height", "decimals"];
const AMOUNTS = ["amount", "capacity", "opening", "in", "out", "closing"];

function typeOf(name: string): Type {
  if (name === "time") return "time";
  return INTEGERS.includes(name) ? "integer" : AMOUNTS.includes(name) ? "amount" : "text";
}

interface Field<Entry> {
  name: string;
  type: Type;
  read: CsvColumn<Entry>[1];
}

/** An amount becomes two fields: a decimal for sums, null if it has too many digits, and its exact text. */
const fieldsOf = <Entry>(columns: readonly CsvColumn<Entry>[]): Field<Entry>[] =>
  columns.flatMap(([name, read]): Field<Entry>[] => {
    const type = typeOf(name);
    const text = { name: `${name}_text`, type: "text", read } as const;
    return [{ name, type, read }, ...(type === "amount" ? [text] : [])];
  });

function storedValue<Entry>({ type, read }: Field<Entry>, entry: Entry): string | bigint | Date | null {
  const value = read(entry);
  if (type === "text") return String(value);
  if (type === "time") return value === "" ? null : new Date(String(value));
  return String(value).length > DECIMAL.precision ? null : BigInt(value);
}

/** Writes a part of the file. Resolves to false if no more is wanted. */
type Take = (part: Uint8Array) => Promise<boolean>;

/** Passes on each group of rows, and waits until it is written. */
class PartWriter extends ByteWriter {
  isWanted = true;
  readonly #take: Take;

  constructor(take: Take) {
    super();
    this.#take = take;
  }

  async flush(): Promise<void> {
    const part = this.getBytes().slice();
    this.index = 0;
    this.isWanted &&= await this.#take(part);
  }

  override finish(): Promise<void> {
    return this.flush();
  }
}

/** Writes entries as a Parquet file, part by part; it stops early if no more is wanted. */
export async function writeParquet<Entry>(
  entries: AsyncIterable<Entry>,
  columns: readonly CsvColumn<Entry>[],
  take: Take,
): Promise<void> {
  const fields = fieldsOf(columns);
  const writer = new PartWriter(take);
  async function* rows() {
    for await (const entry of entries) {
      if (!writer.isWanted) return;
      yield Object.fromEntries(fields.map((field) => [field.name, storedValue(field, entry)]));
    }
  }
  await parquetWriteRows({
    writer,
    rows: rows(),
    columns: fields.map(({ name }) => ({ name })),
    schema: [
      { name: "root", num_children: fields.length },
      ...fields.map(({ name, type }) => ({
        name,
        ...STORED_AS[type],
        repetition_type: NULLABLE.includes(type) ? ("OPTIONAL" as const) : ("REQUIRED" as const),
      })),
    ],
    rowGroupSize: ROWS_OF_GROUP,
    createdBy: "aqs",
  });
}
