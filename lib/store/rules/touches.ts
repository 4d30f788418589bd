import { OUTPUTS_OF, outputsOf } from "#lib/store/outputs.ts";
import { deleteFrom, forRows, insertInto, table, update } from "#lib/store/row-statement.ts";
import { type Bytes, toHex } from "#lib/store/statement.ts";
import type { OutputRow } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** A transaction that creates or spends outputs of an address. Outputs whose own block is not indexed do not count. */
export interface Touch {
  addressKey: string;
  transactionId: number;
  /** The last transaction that spends an output which this one creates for the address; 0 if none does. */
  lastSpent: number;
}

/** The touches that blocks add or change. Touches lead to the outputs that an address had after any block. */
export class Touches {
  /** `lastSpent` by transaction, by address. A batch has tens of thousands, so they are numbers, not objects. */
  readonly #byAddress = new Map<string, Map<number, number>>();

  create(addressKey: string, transactionId: number): void {
    raise(this.#of(addressKey), transactionId, 0);
  }

  /** A transaction spends an output that another one creates. */
  end(addressKey: string, transactionId: number, spentBy: number): void {
    const touches = this.#of(addressKey);
    raise(touches, transactionId, spentBy);
    raise(touches, spentBy, 0);
  }

  rows(): Touch[] {
    const rows: Touch[] = [];
    for (const [addressKey, touches] of this.#byAddress) {
      for (const [transactionId, lastSpent] of touches) rows.push({ addressKey, transactionId, lastSpent });
    }
    return rows;
  }

  #of(addressKey: string): Map<number, number> {
    let touches = this.#byAddress.get(addressKey);
    if (!touches) {
      touches = new Map();
      this.#byAddress.set(addressKey, touches);
    }
    return touches;
  }
}

function raise(touches: Map<number, number>, transactionId: number, spentBy: number): void {
  const lastSpent = touches.get(transactionId);
  if (lastSpent === undefined || spentBy > lastSpent) touches.set(transactionId, spentBy);
}

const TOUCHES = table("touches", { addressKey: "owner", transactionId: "bigint" }, { lastSpent: "bigint" });
export const ADD_TO_TOUCHES = insertInto(
  TOUCHES,
  ({ sql }) => `UPDATE SET last_spent = ${sql.greatest("touches.last_spent", "excluded.last_spent")}`,
);
const RESTATE_TOUCHES = update(TOUCHES, "lastSpent");
const DELETE_TOUCHES = deleteFrom(TOUCHES);
/** Selects the touches whose transaction created an output of the address that is stored. */
const CREATING = forRows(
  TOUCHES.key,
  ({ sql, from, matches }) =>
    `SELECT DISTINCT ${sql.ownerKey("o")} AS key, o.transaction_id AS "transactionId" FROM outputs o ${from(",")}
   WHERE ${matches("o", "transactionId", "addressKey")}`,
);
type Place = Pick<Touch, "addressKey" | "transactionId">;

/** Deletes the touches of deleted outputs that no stored output needs. Returns all touches of the deleted outputs. */
export function* deleteUnusedTouches(tables: Writer, spent: OutputRow[]): Steps<Touch[]> {
  const met = new Touches();
  for (const { addressKey, transactionId, spentBy } of spent) {
    if (transactionId >= 0) met.end(addressKey, transactionId, spentBy!);
  }
  const touches = met.rows();
  // The outputs that these transactions spent are deleted, but some that they created may be left.
  const creating = yield* tables.allOf<{ key: Bytes; transactionId: number }, Place>(CREATING, touches);
  const left = new Set(creating.map(({ key, ...place }) => placeOf({ addressKey: toHex(key), ...place })));
  const gone = touches.filter((touch) => !left.has(placeOf(touch)));
  yield* tables.save(DELETE_TOUCHES, gone);
  return touches;
}

const placeOf = ({ addressKey, transactionId }: Place): string => `${addressKey} ${transactionId}`;

/**
 * Reverts the touches of blocks that created and spent these outputs, after the outputs themselves. `revived`: the spent outputs
 * that were created below these blocks.
 */
export function* removeTouches(
  tables: Writer,
  created: OutputRow[],
  spent: OutputRow[],
  revived: OutputRow[],
): Steps<void> {
  const removed = new Touches();
  for (const { addressKey, transactionId } of created) removed.create(addressKey, transactionId);
  for (const { addressKey, spentBy } of spent) removed.create(addressKey, spentBy!);
  yield* tables.save(DELETE_TOUCHES, removed.rows());

  const restated = new Touches();
  const touched = new Set(revived.map(placeOf));
  const ids = [...new Set(revived.map(({ transactionId }) => transactionId))];
  for (const output of yield* outputsOf(tables.db, OUTPUTS_OF({ ids: JSON.stringify(ids) }))) {
    const { addressKey, transactionId, spentBy } = output;
    restated.create(addressKey, transactionId);
    if (spentBy !== null) restated.end(addressKey, transactionId, spentBy);
  }
  const changed = restated.rows().filter((touch) => touched.has(placeOf(touch)));
  yield* tables.save(RESTATE_TOUCHES, changed);
}
