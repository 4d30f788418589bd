import type { ChangingOutputs, StoredFacts } from "#lib/contract/chain.ts";
import { serverIsBusy } from "#lib/contract/errors.ts";
import { type BlockFacts, kindWord, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import { type IndexTip, NATIVE_STANDARD } from "#lib/store/rows.ts";
import { all, statementWith, toBytes } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { factsAt, type KindPlace, kindsAt } from "./output-kinds.ts";
import { inPieces } from "./pieces.ts";

/** Sums of live outputs of one kind. */
export interface KindSum {
  /** The standard of their token, or the word of `Output.kind`. */
  kind: string;
  outputCount: number;
  /** Exact decimal digits. */
  capacity: string;
}

/** Reading all changing outputs takes too long beyond this number. */
const MAX_CHANGING_OUTPUTS = 100_000;

/** The live outputs of an address by kind. */
interface StoredKinds {
  tip: IndexTip | null;
  sums: KindSum[];
  /** Outputs whose state changes with the tip; null if there may be more than MAX_CHANGING_OUTPUTS. */
  changing: StoredFacts[] | null;
  /** The tip, and the blocks that created the changing outputs. */
  blocks: BlockFacts[];
}

const SUMS_BY_STANDARD = statementWith(["address"])(
  (sql) => `SELECT t.standard AS kind, CAST(sum(h.output_count) AS bigint) AS "outputCount",
     ${sql.sum("h.capacity")} AS capacity
   FROM holdings h JOIN tokens t ON t.id = h.token_id WHERE ${sql.ofAddress("$address")} GROUP BY 1`,
);
const KINDS_OF_ADDRESS = statementWith(["address"])(
  (sql) => `SELECT kind, output_count AS "outputCount", CAST(capacity AS TEXT) AS capacity
   FROM kinds WHERE ${sql.ofAddress("$address")}`,
);
/** `$multiple`: only outputs of transactions whose id is a multiple of this. */
const NATIVE_FROM = statementWith(["address", "from", "multiple", "limit"])(
  (sql) => `SELECT transaction_id, output_index FROM live_outputs
   WHERE ${sql.ofAddress("$address")} AND transaction_id >= CAST($from AS bigint) AND amount IS NULL
     AND transaction_id % CAST($multiple AS bigint) = 0 LIMIT CAST($limit AS bigint)`,
);

export const storedKinds: Query<{ addressKey: string; changing: ChangingOutputs }, StoredKinds> = {
  effort: "snapshot",
  *read(db, { addressKey, changing: { kinds, rewardsOnly, blocks } }) {
    const newest = yield* tip(db);
    const address = toBytes(addressKey);
    const byStandard = yield* all<KindSum>(db, SUMS_BY_STANDARD({ address }));
    const sums = sumsByKind(byStandard, yield* all<KindSum>(db, KINDS_OF_ADDRESS({ address })));
    if (!newest) return { tip: newest, sums, changing: [], blocks: [] };
    const candidates = NATIVE_FROM({
      address,
      from: firstId(Math.max(0, newest.height + 1 - blocks)),
      multiple: rewardsOnly ? firstId(1) : 1,
      limit: MAX_CHANGING_OUTPUTS + 1,
    });
    const hasChanging = sums.some(({ kind }) => kinds.includes(kind));
    const found = hasChanging ? yield* all<KindPlace>(db, candidates) : [];
    if (found.length > MAX_CHANGING_OUTPUTS) {
      return { tip: newest, sums, changing: null, blocks: yield* factsAt(db, [newest.height]) };
    }
    const stored = yield* inPieces(db, found, (places) => kindsAt(db, places));
    // The sums are those of `newest`, and the tip may have moved between pieces.
    if ((yield* tip(db))?.hash !== newest.hash) throw serverIsBusy();
    const changing = stored.flatMap(({ transaction_id: id, kind, capacity }) =>
      kinds.includes(kindWord(kind)) ? [{ kind, height: heightOf(id), capacity }] : [],
    );
    const heights = new Set([newest.height, ...changing.map(({ height }) => height)]);
    return { tip: newest, sums, changing, blocks: yield* factsAt(db, [...heights]) };
  },
};

/** `byStandard`: sums by the token's standard. `byKind`: sums of outputs without a token that are not plain. */
function sumsByKind(byStandard: KindSum[], byKind: KindSum[]): KindSum[] {
  const sums = new KindSums();
  for (const { kind, outputCount, capacity } of byStandard) {
    sums.add(kind === NATIVE_STANDARD ? PLAIN_OUTPUT : kind, outputCount, BigInt(capacity));
  }
  for (const { kind, outputCount, capacity } of byKind) {
    sums.add(kind, outputCount, BigInt(capacity));
    sums.add(PLAIN_OUTPUT, -outputCount, -BigInt(capacity));
  }
  return sums.all();
}

/** Adds up outputs by their kind. */
export class KindSums {
  readonly #byKind = new Map<string, { outputCount: number; capacity: bigint }>();

  add(kind: string, outputCount: number, capacity: bigint): void {
    const sum = this.#byKind.get(kind) ?? { outputCount: 0, capacity: 0n };
    sum.outputCount += outputCount;
    sum.capacity += capacity;
    this.#byKind.set(kind, sum);
  }

  /** Sums of the kinds that have outputs. */
  all(): KindSum[] {
    return [...this.#byKind]
      .filter(([, { outputCount }]) => outputCount !== 0)
      .map(([kind, { outputCount, capacity }]) => ({ kind, outputCount, capacity: capacity.toString() }));
  }
}
