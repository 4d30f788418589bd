import { DuckDBInstance } from "@duckdb/node-api";

/** The rows of a query that names Parquet or CSV files. Amounts come as decimal digits. */
export async function readParquet(query: string): Promise<unknown[][]> {
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  try {
    return (await connection.runAndReadAll(query)).getRowsJson();
  } finally {
    connection.closeSync();
    duckdb.closeSync();
  }
}
