import type { OutPoint } from "#lib/contract/ledger.ts";
import { transactionIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { refuseMissing } from "../transaction/read.ts";
import { type OutputRow, outputsFrom } from "../transaction-outputs/read.ts";
import type { Rows } from "../walk.ts";
import { tipDuring, walkRange } from "../walk-state.ts";

/** One output as of the tip. Throws NOT_FOUND as `refuseMissing` does if no indexed block creates or spends it. */
export const outputAt: Query<OutPoint, Omit<Rows<OutputRow>, "last">> = {
  effort: "snapshot",
  *read(db, { transactionHash: hash, outputIndex: from }) {
    const { asOf } = yield* walkRange(db, {}, undefined);
    const id = (yield* transactionIds(db, [hash])).get(hash);
    if (id === undefined) return yield* refuseMissing(db);
    const end = firstId(asOf.height + 1);
    const rows = yield* outputsFrom(db, "outputs", { id, hash, from, limit: 1, end });
    if (rows[0]?.outputIndex !== from) return yield* refuseMissing(db, id);
    return { tip: yield* tipDuring(db, asOf), asOf, rows, hasNext: false };
  },
};
