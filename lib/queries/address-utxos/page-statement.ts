/** The statement of a page of an address's outputs. */
import { HORIZON_SQL, LAST_WRITE_SQL, TIP_SQL } from "#lib/store/common-queries.ts";
import { type Dialect, statementWith } from "#lib/store/statement.ts";
import { gapsBelowSql, NAMED_BLOCK_SQL } from "../named-block.ts";
import { tokenColumns } from "../tokens.ts";

type Order = "asc" | "desc";

const inOrder = (order: Order) =>
  `ORDER BY transaction_id ${order}, output_index ${order} LIMIT CAST($limit AS bigint)`;
const ofToken = (byToken: boolean) =>
  byToken ? "AND token_id = (SELECT id FROM tokens WHERE asset_id = $token)" : "";

/**
 * `$id` and `$index` are the position, `$end` is the id above all. A page as of a block names that block instead. PostgreSQL
 * also takes the heights of the position's two blocks, and the known tokens with their write.
 */
const pageStatement = statementWith([
  ...(["address", "id", "index", "limit", "end?", "namedHeight?", "namedHash?", "token?"] as const),
  ...(["positionHeight?", "tipHeight?", "known?", "write?"] as const),
]);
type PageStatement = ReturnType<typeof pageStatement>;

const liveStatement = (byToken: boolean, order: Order) => {
  // With a CAST, SQLite would not search by both columns, and would read a large transaction from its start.
  const range = `(transaction_id, output_index) ${order === "asc" ? ">" : "<"} ($id, $index)
    AND transaction_id < CAST($end AS bigint)`;
  return pageStatement((sql) =>
    sql.engine === "sqlite"
      ? // Hashes come as SQLite writes them, in capitals: making them ours there takes as long as half of the rest.
        `SELECT transaction_id, output_index, token_id, hex(transaction_hash),
                CAST(amount AS TEXT), CAST(capacity AS TEXT)
         FROM live_outputs ${byToken ? "INDEXED BY live_outputs_by_token" : ""}
         WHERE ${sql.ofAddress("$address")} AND ${range} ${ofToken(byToken)} ${inOrder(order)}`
      : pageOf(
          sql,
          order,
          `SELECT transaction_id, output_index, token_id, transaction_hash, amount, capacity
           FROM live_outputs WHERE ${sql.ofAddress("$address")} AND ${range} ${ofToken(byToken)} ${inOrder(order)}`,
        ),
  );
};

/**
 * PostgreSQL: the outputs come as one text, a line each, and their hashes as one string of bytes, which costs the server and us
 * a fraction of rows; each token comes once, if it is not known. All aggregates see the rows in the order of the page. None of
 * them may be DISTINCT or have an order of its own: the server would sort the rows for all of them
 * (enable_presorted_aggregate).
 */
const pageOf = (sql: Dialect, order: Order, rows: string, beside = "") =>
  `SELECT tip.height, tip.hash, tip.gaps, page.outputs, page.hashes, ${LAST_WRITE_SQL} AS write ${beside},
     (SELECT hash FROM blocks WHERE height = $positionHeight) AS hash_at_position,
     (SELECT hash FROM blocks WHERE height = $tipHeight) AS hash_at_tip,
     (SELECT hash FROM blocks WHERE height = page.last_id >> 20) AS last_hash,
     (SELECT json_agg(token) FROM (
        SELECT ${tokenColumns(sql)} FROM tokens t WHERE t.id = ANY (page.token_ids)
          AND NOT (t.id = ANY ($known::integer[]) AND ${LAST_WRITE_SQL} IS NOT DISTINCT FROM $write)
      ) token) AS tokens
   FROM (
     SELECT
       string_agg(concat_ws(' ', transaction_id, output_index, token_id, capacity, amount), E'\\n') AS outputs,
       string_agg(transaction_hash, '') AS hashes,
       array_agg(token_id) AS token_ids,
       coalesce((array_agg(transaction_id))[$limit::bigint - 1], ${order === "asc" ? "max" : "min"}(transaction_id)) AS last_id
     FROM (${rows}) listed
   ) page
   LEFT JOIN LATERAL (${TIP_SQL}) tip ON true`;

/** Parts of the range that are searched, at most: runs of touches, and what is before the first one. */
const MOST_PARTS = 10;

/**
 * PostgreSQL on one machine: the page as of a block. It has the outputs that are live, and before the last of these the ones
 * that were spent since. For these it reads few touches: where they are not enough, it says `is_cut`.
 */
const asOfStatement = (byToken: boolean, order: Order) =>
  pageStatement((sql) => {
    const token = ofToken(byToken);
    const own = sql.ofAddress("$address");
    const end = "(SELECT end_id FROM as_of)";
    const [from, to] = ["(SELECT from_id FROM range)", "(SELECT to_id FROM range)"];
    // The first or last one by a scan of the index that ends there: of `min` and `max`, the server may read all.
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
        // Two upper bounds of one scan: the server would begin at either.
        further: `(transaction_id, output_index)
          < (least(CAST($id AS bigint), ${end}), CASE WHEN CAST($id AS bigint) < ${end} THEN CAST($index AS bigint) ELSE 0 END)`,
        range: `coalesce(${lastLive}, 0) AS from_id, least(CAST($id AS bigint) + 1, ${end}) AS to_id`,
      },
    }[order];
    return `WITH as_of AS MATERIALIZED (
      SELECT height, hash, tip, (height + 1) << 20 AS end_id FROM (${NAMED_BLOCK_SQL}) named
    ), live AS MATERIALIZED (
      SELECT transaction_id, output_index, token_id, transaction_hash, amount, capacity
      FROM live_outputs WHERE ${own} AND ${further} ${token} ${inOrder(order)}
    ), range AS MATERIALIZED (SELECT ${range}),
    touched AS MATERIALIZED (
      SELECT touch.id, part.number FROM (
        SELECT low, high, row_number() OVER (ORDER BY low ${order}) AS number FROM (
          (SELECT first_id AS low, ${run("first_id > run.first_id", "asc")} AS high FROM touch_runs run
           WHERE ${own} AND last_spent >= ${end} AND first_id < ${to}
             AND first_id >= coalesce(${run(`first_id <= ${from}`, "desc")}, 0)
           ORDER BY first_id ${order} LIMIT ${MOST_PARTS})
          UNION ALL SELECT -1, ${run("true", "asc")}
        ) part ORDER BY low ${order} LIMIT ${MOST_PARTS}
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
          AND ${further} ${token} ORDER BY output_index ${order} LIMIT ${most}
      ) output ${inOrder(order)}
    ) ${pageOf(
      sql,
      order,
      `SELECT * FROM live UNION ALL SELECT * FROM spent ${inOrder(order)}`,
      `, (SELECT json_build_object('height', height, 'hash', ${sql.hex("hash")}, 'tip', tip, 'horizon', (${HORIZON_SQL}),
        'gaps', ${gapsBelowSql(sql, "as_of.height")},
        'is_cut', (SELECT count(*) > ${most} OR max(number) = ${MOST_PARTS} FROM touched)
          AND (SELECT count(*) < ${most} FROM spent)) FROM as_of) AS as_of`,
    )}`;
  });

const pages = (make: (byToken: boolean, order: Order) => PageStatement) => ({
  all: { asc: make(false, "asc"), desc: make(false, "desc") },
  ofToken: { asc: make(true, "asc"), desc: make(true, "desc") },
});

/** One range scan of a live index, in either direction. */
export const PAGES = pages(liveStatement);
/** The same as of a block. */
export const PAGES_AS_OF = pages(asOfStatement);
