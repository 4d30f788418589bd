import { OUTPUTS_OF, outputsOf } from "#lib/store/outputs.ts";
import { forRows } from "#lib/store/row-statement.ts";
import type { OutputRow } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Tables } from "./tables.ts";

/** What a transaction did to an address. Outputs whose own block is not indexed do not count. */
export interface Touch {
  addressKey: string;
  transactionId: number;
  /** Outputs of the address that it creates, and that it spends. */
  created: number;
  spent: number;
  /** Of those that it creates, how many are live. */
  live: number;
  /** The last transaction that spends one of those; 0 if none does. */
  lastSpent: number;
}

/**
 * The touches that blocks add or change. With them, the outputs that an address had after any block, and what happened to it
 * between two blocks, are found in chain order.
 */
export class Touches {
  readonly #byAddress = new Map<string, Map<number, Touch>>();

  /** A transaction creates an output, which stays live unless `end` is called, too. */
  create(addressKey: string, transactionId: number): void {
    const touch = this.#at(addressKey, transactionId);
    touch.created += 1;
    touch.live += 1;
  }

  /** A transaction spends an output that another one creates. */
  end(addressKey: string, transactionId: number, spentBy: number): void {
    const touch = this.#at(addressKey, transactionId);
    touch.live -= 1;
    if (spentBy > touch.lastSpent) touch.lastSpent = spentBy;
    this.#at(addressKey, spentBy).spent += 1;
  }

  rows(): Touch[] {
    return [...this.#byAddress.values()].flatMap((touches) => [...touches.values()]);
  }

  #at(addressKey: string, transactionId: number): Touch {
    let touches = this.#byAddress.get(addressKey);
    if (!touches) {
      touches = new Map();
      this.#byAddress.set(addressKey, touches);
    }
    let touch = touches.get(transactionId);
    if (!touch) {
      touch = { addressKey, transactionId, created: 0, spent: 0, live: 0, lastSpent: 0 };
      touches.set(transactionId, touch);
    }
    return touch;
  }
}

const ADD_TO_TOUCHES = forRows<Touch>(
  "add-to-touches",
  {
    addressKey: "owner",
    transactionId: "bigint",
    created: "integer",
    spent: "integer",
    live: "integer",
    lastSpent: "bigint",
  },
  ({ sql, names, column, values }) => `INSERT INTO touches (${names}) ${values}
   ON CONFLICT (${column.addressKey}, transaction_id) DO UPDATE
   SET created = touches.created + excluded.created, spent = touches.spent + excluded.spent,
       live = touches.live + excluded.live, last_spent = ${sql.greatest("touches.last_spent", "excluded.last_spent")}`,
);
const RESTATE_TOUCHES = forRows<Touch>(
  "restate-touches",
  { addressKey: "owner", transactionId: "bigint", live: "integer", lastSpent: "bigint" },
  ({ column, each, from, andShards }) =>
    `UPDATE touches SET live = ${each.live}, last_spent = ${each.lastSpent} ${from("FROM")}
   WHERE touches.${column.addressKey} = ${each.addressKey} AND touches.transaction_id = ${each.transactionId}
     ${andShards("touches", "addressKey")}`,
);
const DELETE_TOUCHES = forRows<Pick<Touch, "addressKey" | "transactionId">>(
  "delete-touches",
  { addressKey: "owner", transactionId: "bigint" },
  ({ column, each, from, andShards }) => `DELETE FROM touches ${from("USING")}
   WHERE touches.${column.addressKey} = ${each.addressKey} AND touches.transaction_id = ${each.transactionId}
     ${andShards("touches", "addressKey")}`,
);

const DELETE_EMPTY_TOUCHES = forRows<Pick<Touch, "addressKey" | "transactionId">>(
  "delete-empty-touches",
  { addressKey: "owner", transactionId: "bigint" },
  ({ column, each, from, andShards }) => `DELETE FROM touches ${from("USING")}
   WHERE touches.${column.addressKey} = ${each.addressKey} AND touches.transaction_id = ${each.transactionId}
     AND touches.created = 0 AND touches.spent = 0 ${andShards("touches", "addressKey")}`,
);

export function* saveTouches(tables: Tables, touches: Touch[]): Steps<void> {
  yield* tables.save(ADD_TO_TOUCHES, touches);
}

/** Takes the outputs, which were spent, out of the touches, and deletes those that are left with none. Returns the ones it met. */
export function* forgetTouches(tables: Tables, spent: OutputRow[]): Steps<Touch[]> {
  const forgotten = new Touches();
  for (const { addressKey, transactionId, spentBy } of spent) {
    if (transactionId < 0) continue;
    forgotten.create(addressKey, transactionId);
    forgotten.end(addressKey, transactionId, spentBy!);
  }
  const touches = forgotten.rows();
  const less = ({ created, spent, ...touch }: Touch) => {
    return { ...touch, created: 0 - created, spent: 0 - spent, lastSpent: 0 };
  };
  yield* tables.save(ADD_TO_TOUCHES, touches.map(less));
  yield* tables.save(DELETE_EMPTY_TOUCHES, touches);
  return touches;
}

/**
 * Takes back what blocks did that create and spend these outputs, once the outputs are as they were before. `revived`: those
 * among the spent ones that were created below these blocks.
 */
export function* removeTouches(
  tables: Tables,
  created: OutputRow[],
  spent: OutputRow[],
  revived: OutputRow[],
): Steps<void> {
  const removed = new Touches();
  for (const { addressKey, transactionId } of created) removed.create(addressKey, transactionId);
  for (const { addressKey, spentBy } of spent) removed.create(addressKey, spentBy!);
  yield* tables.save(DELETE_TOUCHES, removed.rows());

  const restated = new Touches();
  const touched = new Set(revived.map(({ addressKey, transactionId }) => `${addressKey} ${transactionId}`));
  const ids = [...new Set(revived.map(({ transactionId }) => transactionId))];
  for (const output of yield* outputsOf(tables.db, OUTPUTS_OF, JSON.stringify(ids))) {
    const { addressKey, transactionId, spentBy } = output;
    if (!touched.has(`${addressKey} ${transactionId}`)) continue;
    restated.create(addressKey, transactionId);
    if (spentBy !== null) restated.end(addressKey, transactionId, spentBy);
  }
  yield* tables.save(
    RESTATE_TOUCHES,
    restated.rows().filter(({ created }) => created > 0),
  );
}
