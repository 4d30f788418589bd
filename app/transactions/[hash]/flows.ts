/** Who paid whom in a transaction, and which outputs its inputs became. Everything is exact; only drawings use floats. */
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";

/** An amount of one asset in an input or an output. */
interface Part {
  assetId: string;
  /** In the asset's smallest unit. */
  amount: bigint;
  /** In units of 10^-8 US dollars; 0 without a price. The native asset that carries another one has none here. */
  usd: bigint;
}

/** An input or an output; or all of one address, where there are too many. */
export interface Node {
  address: string;
  entries: OutputEntry[];
}

function partsOf({ token, amount, capacity, valueUsd }: OutputEntry, nativeId: string): Part[] {
  if (amount === "") return [];
  const own = {
    assetId: token,
    amount: BigInt(amount),
    usd: parseDecimal(valueUsd ?? "", USD_DECIMALS) ?? 0n,
  };
  return token === nativeId ? [own] : [own, { assetId: nativeId, amount: BigInt(capacity), usd: 0n }];
}

/** The drawing measures the value of all assets, or the amount of one. */
export type Measure = { assetId: string } | "value";

const sizeOfPart = ({ assetId, amount, usd }: Part, measure: Measure): bigint => {
  if (measure === "value") return usd;
  return measure.assetId === assetId ? amount : 0n;
};

/** The size of inputs or outputs, in units of 10^-8 US dollars or in the asset's smallest unit. */
export const sizeOf = (entries: readonly OutputEntry[], measure: Measure, nativeId: string): bigint =>
  entries
    .flatMap((entry) => partsOf(entry, nativeId))
    .reduce((sum, part) => sum + sizeOfPart(part, measure), 0n);

/** Sums up the native asset in outputs that hold another one, in its smallest unit. It has no value here: see `Part`. */
export const carriedBy = (entries: readonly OutputEntry[], nativeId: string): bigint => {
  const carriers = entries.filter(({ token }) => token !== nativeId);
  return sizeOf(carriers, { assetId: nativeId }, nativeId);
};

/** A node for each entry, if there are at most `most`. Otherwise a node for each address, the largest first. */
export function nodesOf(
  entries: readonly OutputEntry[],
  most: number,
  measure: Measure,
  nativeId: string,
): { nodes: Node[]; isJoined: boolean } {
  if (entries.length <= most)
    return { nodes: entries.map((entry) => ({ address: entry.address, entries: [entry] })), isJoined: false };
  const nodes = Array.from(
    Map.groupBy(entries, ({ address }) => address),
    ([address, entries]) => ({ address, entries, size: sizeOf(entries, measure, nativeId) }),
  );
  nodes.sort((one, other) => Number(other.size - one.size) || other.entries.length - one.entries.length);
  return { nodes, isJoined: true };
}

/**
 * A part of an input that became a part of an output. `from` and `to` are places in the lists of nodes. `from` is null for what
 * was minted or is interest, and `to` for what was burnt.
 */
export interface Ribbon {
  from: number | null;
  to: number | null;
  assetId: string;
  size: bigint;
}

/**
 * Joins inputs and outputs of the same asset in their order. A transaction does not say which input pays which output, so this
 * is a way of drawing it. Fees have no ribbon. Nothing counts as minted unless all inputs are known, and nothing as burnt unless
 * all outputs are: `isKnown` says so.
 */
export function ribbonsOf(
  inputs: Node[],
  outputs: Node[],
  measure: Measure,
  nativeId: string,
  isKnown: { inputs: boolean; outputs: boolean },
): Ribbon[] {
  const queues = (nodes: Node[]) =>
    Map.groupBy(
      nodes.flatMap(({ entries }, at) =>
        entries.flatMap((entry) =>
          partsOf(entry, nativeId).map((part) => ({ ...part, at, left: part.amount })),
        ),
      ),
      ({ assetId }) => assetId,
    );
  const [origins, targets] = [queues(inputs), queues(outputs)];
  const sizes = new Map<string, Ribbon>();
  const add = (from: number | null, to: number | null, part: Part, moved: bigint) => {
    if (moved === 0n) return;
    const key = `${from} ${to} ${part.assetId}`;
    const ribbon = sizes.get(key) ?? { from, to, assetId: part.assetId, size: 0n };
    ribbon.size += (sizeOfPart(part, measure) * moved) / part.amount;
    sizes.set(key, ribbon);
  };
  for (const assetId of new Set([...origins.keys(), ...targets.keys()])) {
    const sinks = targets.get(assetId) ?? [];
    const open = sinks.values();
    let sink = open.next().value;
    for (const source of origins.get(assetId) ?? []) {
      while (source.left > 0n && sink) {
        const moved = source.left < sink.left ? source.left : sink.left;
        add(source.at, sink.at, source, moved);
        source.left -= moved;
        sink.left -= moved;
        if (sink.left === 0n) sink = open.next().value;
      }
      if (assetId !== nativeId && isKnown.outputs) add(source.at, null, source, source.left);
    }
    if (isKnown.inputs) for (const issued of sinks) add(null, issued.at, issued, issued.left);
  }
  // An asset without a price has a thin ribbon. The native asset that carries it has none.
  return [...sizes.values()].filter(
    ({ size, assetId }) => size > 0n || (measure === "value" && assetId !== nativeId),
  );
}

/** Amounts that the same addresses paid to the same addresses. Without payers, they were minted. */
export interface Payment {
  from: string[];
  to: string[];
  /** The most valuable first, and the native asset last: tokens say more than what carries them. */
  amounts: { assetId: string; amount: bigint }[];
}

/** Sums what addresses paid one another. Change that returns is not a payment, and neither is the fee. */
export function paymentsOf(
  inputs: readonly OutputEntry[],
  outputs: readonly OutputEntry[],
  nativeId: string,
): Payment[] {
  const nets = new Map<string, Map<string, bigint>>();
  const priced = new Map<string, { amount: bigint; usd: bigint }>();
  const add = (entry: OutputEntry, sign: bigint) => {
    for (const { assetId, amount, usd } of partsOf(entry, nativeId)) {
      if (usd > 0n && assetId !== nativeId) priced.set(assetId, { amount, usd });
      const net = nets.get(assetId) ?? new Map<string, bigint>();
      nets.set(assetId, net.set(entry.address, (net.get(entry.address) ?? 0n) + sign * amount));
    }
  };
  for (const entry of inputs) add(entry, -1n);
  for (const entry of outputs) add(entry, 1n);
  const payments = new Map<string, Payment>();
  for (const [assetId, net] of nets) {
    const ordered = [...net].sort(([, one], [, other]) => (one < other ? 1 : -1));
    const to = ordered.filter(([, amount]) => amount > 0n);
    const from = ordered.filter(([, amount]) => amount < 0n).toReversed();
    if (to.length === 0) continue;
    const names = { from: from.map(([address]) => address), to: to.map(([address]) => address) };
    // The native asset is never minted with tokens: see the sentence.
    const key = JSON.stringify([names, from.length === 0 && assetId === nativeId]);
    const payment = payments.get(key) ?? { ...names, amounts: [] };
    payments.set(key, payment);
    const sum = (sides: typeof to) => sides.reduce((all, [, amount]) => all + amount, 0n);
    const [came, left] = [sum(to), -sum(from)];
    // Others' tokens were minted. The native asset may also come from outside the ledger, such as interest.
    const isPartlyMinted = assetId !== nativeId && from.length > 0 && left < came;
    payment.amounts.push({ assetId, amount: isPartlyMinted ? left : came });
  }
  const worth = ({ assetId, amount }: Payment["amounts"][number]): bigint => {
    const price = priced.get(assetId);
    if (price) return (amount * price.usd) / price.amount;
    return assetId === nativeId ? -1n : 0n;
  };
  for (const { amounts } of payments.values()) {
    amounts.sort((one, other) => Number(worth(one) < worth(other)) - Number(worth(one) > worth(other)));
  }
  const isNative = ({ amounts }: Payment) => amounts.every(({ assetId }) => assetId === nativeId);
  return [...payments.values()].sort((one, other) => Number(isNative(one)) - Number(isNative(other)));
}
