import type { OutPoint } from "#lib/contract/ledger.ts";
import { transactionIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { type ListedOutput, outputsFrom, outputsInOne } from "../listed-outputs.ts";
import { refuseMissing } from "../transaction/read.ts";
import type { Rows } from "../walk.ts";
import { tipDuring, walkStateAt } from "../walk-state.ts";

/** One output as of the tip. Throws NOT_FOUND as `refuseMissing` does if no indexed block creates or spends it. */
export const outputAt: Query<OutPoint, Omit<Rows<ListedOutput>, "last">> = {
  effort: "look-up",
  *read(db, { transactionHash: hash, outputIndex: from }) {
    const page = { hash, from, limit: 1 };
    const found = yield* outputsInOne(db, "outputs", page);
    if (found?.rows[0]?.outputIndex === from) return { ...found, hasNext: false };
    db.inOneState();
    const asOf = yield* walkStateAt(db);
    const id = (yield* transactionIds(db, [hash])).get(hash);
    if (id === undefined) return yield* refuseMissing(db);
    const rows = yield* outputsFrom(db, "outputs", { id, ...page }, firstId(asOf.height + 1));
    if (rows[0]?.outputIndex !== from) return yield* refuseMissing(db, id);
    return { tip: yield* tipDuring(db, asOf), asOf, rows, hasNext: false };
  },
};
