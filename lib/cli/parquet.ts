import { ByteWriter, parquetWriteRows } from "hyparquet-writer";

interface Column<Entry> {
  /** An integer is below 2^63, an amount has decimal digits, and a time is in RFC 3339 or empty. */
  type: "text" | "integer" | "amount" | "time";
  read(entry: Entry): string | number;
}
/** The columns of a file by name, in order. */
export type Columns<Entry> = Readonly<Record<string, Column<Entry>>>;

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

const NULLABLE: readonly Column<never>["type"][] = ["amount", "time"];

type Field<Entry> = Column<Entry> & { name: string };

/** An amount becomes two fields: a decimal for sums, null if it has too many digits, and its exact text. */
function fieldsOf<Entry>(columns: Columns<Entry>): Field<Entry>[] {
  return Object.entries(columns).flatMap(([name, column]): Field<Entry>[] => {
    const field = { ...column, name };
    return column.type === "amount" ? [field, { ...column, name: `${name}_text`, type: "text" }] : [field];
  });
}

function storedValue<Entry>({ type, read }: Field<Entry>, entry: Entry): string | bigint | Date | null {
  const value = read(entry);
  if (type === "text") return String(value);
  if (type === "time") return value === "" ? null : new Date(value);
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
  columns: Columns<Entry>,
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
