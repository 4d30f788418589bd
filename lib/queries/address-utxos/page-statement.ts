/** The statement that reads a page of an address's outputs. */
import { TIP_SQL } from "#lib/store/common-queries.ts";
import { type Dialect, statementWith } from "#lib/store/statement.ts";
import { asOfFields, NAMED_BLOCK_SQL } from "../named-block.ts";
import { tokenColumns } from "../tokens.ts";
import { CACHE_VALUES, uncachedTokens } from "../write-cache.ts";
import { FILTER_NAMES, FILTER_SQL, type FilterName, type OutputFilters } from "./filters.ts";

type Order = "asc" | "desc";

/** `$id` and `$index` are the position after which the page begins. */
const POSITION = ["address", "id", "index", "limit"] as const;
/** The block of a page as of a block. A live page has an id above all transactions to list instead. */
const STATE = ["end?", "namedHeight?", "namedHash?", "namedTime?"] as const;
/** Only for PostgreSQL: heights of the position's two blocks, and what is cached. */
const POSTGRES = ["positionHeight?", "tipHeight?", ...CACHE_VALUES] as const;
const FILTERS = FILTER_NAMES.map((name) => `${name}?` as const);
const pageStatement = statementWith([...POSITION, ...STATE, ...POSTGRES, ...FILTERS]);
type PageStatement = ReturnType<typeof pageStatement>;

const inOrder = (order: Order) =>
  `ORDER BY transaction_id ${order}, output_index ${order} LIMIT CAST($limit AS bigint)`;

/** One range scan of a live index. */
function liveSql(sql: Dialect, order: Order, filters: FilterName[], passes: string): string {
  // A CAST would keep SQLite from searching by both columns, and a large transaction would be read from its start.
  const where = `WHERE ${sql.ofAddress("$address")} AND (transaction_id, output_index) ${order === "asc" ? ">" : "<"} ($id, $index)
    AND transaction_id < CAST($end AS bigint) ${passes} ${inOrder(order)}`;
  if (sql.engine === "postgres") {
    const columns = "transaction_id, output_index, token_id, transaction_hash, amount, capacity";
    return pageSql(sql, order, `SELECT ${columns} FROM live_outputs ${where}`);
  }
  // SQLite writes hex in capitals. Lower case in SQL would take half as long as the rest of the statement.
  return `SELECT transaction_id, output_index, token_id, hex(transaction_hash), CAST(amount AS TEXT), CAST(capacity AS TEXT)
    FROM live_outputs ${filters.includes("token") ? "INDEXED BY live_outputs_by_token" : ""} ${where}`;
}

/**
 * PostgreSQL returns all outputs as one text with a line for each, and their hashes as one string of bytes: that costs a fraction
 * of rows. It returns each token once, unless tokens are cached. All aggregates see the rows in the order of the page. None of
 * them may be DISTINCT or have an order of its own: the server would sort the rows for all of them
 * (enable_presorted_aggregate).
 */
const pageSql = (sql: Dialect, order: Order, rows: string, more = "") =>
  `SELECT tip.height, tip.hash, tip.gaps, page.outputs, page.hashes ${more}, ${uncachedTokens(tokenColumns(sql))},
     (SELECT hash FROM blocks WHERE height = $positionHeight) AS hash_at_position,
     (SELECT hash FROM blocks WHERE height = $tipHeight) AS hash_at_tip,
     (SELECT hash FROM blocks WHERE height = page.last_id >> 20) AS last_hash
   FROM (
     SELECT
       string_agg(concat_ws(' ', transaction_id, output_index, token_id, capacity, amount), E'\\n') AS outputs,
       string_agg(transaction_hash, '') AS hashes,
       array_agg(token_id) AS token_ids,
       coalesce((array_agg(transaction_id))[$limit::bigint - 1], ${order === "asc" ? "max" : "min"}(transaction_id)) AS last_id
     FROM (${rows}) listed
   ) page
   LEFT JOIN LATERAL (${TIP_SQL}) tip ON true`;

/** The most parts of the range to search. A part is a run of touches, or all touches before the first run. */
const MAX_PARTS = 10;

/**
 * PostgreSQL on one machine reads a page as of a block with one statement. It has live outputs, and outputs before the last of
 * these that were spent later. It looks for these in a few touches only, and sets `is_cut` if they were not enough.
 */
function asOfSql(sql: Dialect, order: Order, passes: string): string {
  const own = sql.ofAddress("$address");
  const end = "(SELECT end_id FROM as_of)";
  const [from, to] = ["(SELECT from_id FROM range)", "(SELECT to_id FROM range)"];
  // For `min` and `max` the server may read all rows; this reads one from an index.
  const run = (which: string, by: Order) =>
    `(SELECT first_id FROM touch_runs WHERE ${own} AND ${which} ORDER BY first_id ${by} LIMIT 1)`;
  const most = "CAST($limit AS bigint)";
  const lastLive = `(SELECT transaction_id FROM live OFFSET ${most} - 1)`;
  const { further, range } = {
    asc: {
      further: `(transaction_id, output_index) > (CAST($id AS bigint), CAST($index AS bigint)) AND transaction_id < ${end}`,
      range: `greatest(CAST($id AS bigint), 0) AS from_id, least(${end}, ${lastLive} + 1) AS to_id`,
    },
    desc: {
      // With two upper bounds, the server might start its scan at the higher one.
      further: `(transaction_id, output_index)
          < (least(CAST($id AS bigint), ${end}), CASE WHEN CAST($id AS bigint) < ${end} THEN CAST($index AS bigint) ELSE 0 END)`,
      range: `coalesce(${lastLive}, 0) AS from_id, least(CAST($id AS bigint) + 1, ${end}) AS to_id`,
    },
  }[order];
  return `WITH as_of AS MATERIALIZED (
      SELECT height, hash, tip, (height + 1) << 20 AS end_id FROM (${NAMED_BLOCK_SQL}) named
    ), live AS MATERIALIZED (
      SELECT transaction_id, output_index, token_id, transaction_hash, amount, capacity
      FROM live_outputs WHERE ${own} AND ${further} ${passes} ${inOrder(order)}
    ), range AS MATERIALIZED (SELECT ${range}),
    touched AS MATERIALIZED (
      SELECT touch.id, part.number FROM (
        SELECT low, high, row_number() OVER (ORDER BY low ${order}) AS number FROM (
          (SELECT first_id AS low, ${run("first_id > run.first_id", "asc")} AS high FROM touch_runs run
           WHERE ${own} AND last_spent >= ${end} AND first_id < ${to}
             AND first_id >= coalesce(${run(`first_id <= ${from}`, "desc")}, 0)
           ORDER BY first_id ${order} LIMIT ${MAX_PARTS})
          UNION ALL SELECT -1, ${run("true", "asc")}
        ) part ORDER BY low ${order} LIMIT ${MAX_PARTS}
      ) part CROSS JOIN LATERAL (
        SELECT transaction_id AS id FROM touches WHERE ${own} AND transaction_id >= greatest(part.low, ${from})
          AND transaction_id < least(part.high, ${to}) AND last_spent >= ${end}
        ORDER BY transaction_id ${order} LIMIT ${most} + 1
      ) touch ORDER BY part.low ${order}, touch.id ${order} LIMIT ${most} + 1
    ), spent AS MATERIALIZED (
      SELECT output.transaction_id, output.output_index, output.token_id,
        (SELECT hash FROM transactions WHERE id = output.transaction_id) AS transaction_hash,
        output.amount, output.capacity
      FROM touched CROSS JOIN LATERAL (
        SELECT * FROM outputs WHERE transaction_id = touched.id AND ${own} AND spent_transaction_id >= ${end}
          AND ${further} ${passes} ORDER BY output_index ${order} LIMIT ${most}
      ) output ${inOrder(order)}
    ) ${pageSql(
      sql,
      order,
      `SELECT * FROM live UNION ALL SELECT * FROM spent ${inOrder(order)}`,
      `, (SELECT json_build_object(${asOfFields(sql)},
        'is_cut', (SELECT count(*) > ${most} OR max(number) = ${MAX_PARTS} FROM touched)
          AND (SELECT count(*) < ${most} FROM spent)) FROM as_of) AS as_of`,
    )}`;
}

const made = new Map<string, PageStatement>();

/** Returns the statement of a live page, or of a page as of a block. It is made once for each order and set of filters. */
export function outputPageFor(of: "live" | "block", order: Order, given: OutputFilters): PageStatement {
  const filters = FILTER_NAMES.filter((name) => given[name] !== undefined);
  const key = [of, order, ...filters].join(" ");
  let page = made.get(key);
  if (!page) {
    page = pageStatement((sql) => {
      const passes = filters.map((name) => `AND ${FILTER_SQL[name](sql)}`).join(" ");
      return of === "live" ? liveSql(sql, order, filters, passes) : asOfSql(sql, order, passes);
    });
    made.set(key, page);
  }
  return page;
}
