import { Fragment, type ReactNode } from "react";
import { AddressLink } from "#components/Address.tsx";
import { AssetItem } from "#components/AssetLabel.tsx";
import { Link } from "#components/Link.tsx";
import {
  displayDecimals,
  type Flag,
  type ListedNames,
  markedAmount,
  symbolAndId,
  unnamedUnit,
} from "#lib/client/chain-text.ts";
import { countOf, formatAmount } from "#lib/client/format.ts";
import { MORE_ADDRESSES } from "#lib/client/wallet.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { Transaction } from "#lib/queries/transaction/contract.ts";
import type { Payment } from "./flows.ts";

interface Props {
  transaction: Transaction;
  /** Who paid whom; null if not all inputs and outputs were read, or not all are indexed. */
  payments: readonly Payment[] | null;
  /** Kinds of outputs by token, as far as they are known. */
  kinds: ReadonlyMap<string, string>;
  native: Pick<TokenInfo, "id" | "symbol" | "name" | "decimals">;
  flagsOf: (asset: ListedNames) => readonly Flag[];
}

/** Payments, their assets, and addresses that a sentence names one by one. */
const MAX_PAYMENTS = 3;
const MAX_ASSETS = 3;
const MAX_ADDRESSES = 2;

/** Who paid whom what; what was minted and burnt; and the fee. */
export function Sentence({ transaction, payments, kinds, native, flagsOf }: Props) {
  const { assets, moreAssets, fee, inputCount, outputCount, index } = transaction;
  const tokens = new Map(assets.map(({ token, tokenInfo }) => [token, tokenInfo]));
  const amounts = (of: Payment["amounts"]) => (
    <Amounts of={of} tokens={tokens} kinds={kinds} flagsOf={flagsOf} />
  );
  /** Whether a sentence about the amounts has its verb in the singular. */
  const isOne = ([first, ...more]: Payment["amounts"]): boolean => {
    const token = first && tokens.get(first.assetId);
    return more.length === 0 && token !== undefined && isUnit(first!.amount, token);
  };
  const others = assets.filter(({ token }) => token !== native.id);
  const isReward = index === 0 && inputCount === 0;
  const paid = payments?.filter(({ from }) => from.length > 0) ?? [];
  const received = payments?.filter(({ from }) => from.length === 0) ?? [];
  const told = new Set([...paid.slice(0, MAX_PAYMENTS), ...received.slice(0, MAX_PAYMENTS)]);
  const clauses: ReactNode[] = (payments ?? [])
    .filter((payment) => told.has(payment))
    .map(({ from, to, amounts: all }) => {
      const names = <Names of={to} />;
      if (from.length > 0) {
        return (
          <>
            <Names of={from} /> paid {names} {amounts(all)}
          </>
        );
      }
      if (isReward) {
        return (
          <>
            {names} received the block’s reward, {amounts(all)}
          </>
        );
      }
      // Only tokens are minted. The native asset comes from outside the ledger, such as interest.
      const isNative = all.every(({ assetId }) => assetId === native.id);
      return (
        <>
          {amounts(all)} {isOne(all) ? "was" : "were"} {isNative ? "newly issued to" : "minted for"} {names}
        </>
      );
    });
  const isReceived = (token: string) =>
    received.some(({ amounts }) => amounts.some(({ assetId }) => assetId === token));
  for (const what of ["minted", "burnt"] as const) {
    const made = others
      .filter(({ token, [what]: amount }) => BigInt(amount) > 0n && (what === "burnt" || !isReceived(token)))
      .map(({ token, [what]: amount }) => ({ assetId: token, amount: BigInt(amount) }));
    if (made.length === 0) continue;
    clauses.push(
      <>
        {amounts(made)} {isOne(made) ? "was" : "were"} {what}
      </>,
    );
  }
  const more = Math.max(0, paid.length - MAX_PAYMENTS) + Math.max(0, received.length - MAX_PAYMENTS);
  if (more > 0) clauses.push(countOf(more, "more payment"));
  if (moreAssets > 0) clauses.push(`${countOf(moreAssets, "further asset")} moved`);
  if (clauses.length === 0) {
    clauses.push(
      outputCount === 0
        ? "It has no outputs"
        : payments
          ? "Everything went back to the sending addresses"
          : `${countOf(inputCount, "input")} became ${countOf(outputCount, "output")}`,
    );
  }
  return (
    <p className="mt-2 max-w-[1100px] text-pretty text-lg text-text-2 wrap-anywhere">
      <Joined parts={clauses} between="; " last="; " />.
      {fee !== "" && !isReward && ` Fee ${formatAmount(fee, native.decimals).text} ${native.symbol}.`}
      {fee === "" && inputCount > 0 && " Its fee is not known, because not all of its inputs are indexed."}
    </p>
  );
}

/** Whether an amount is shown as `1`. */
const isUnit = (amount: bigint, token: TokenInfo): boolean =>
  amount === 10n ** BigInt(displayDecimals(token) ?? 0);

interface AmountsProps {
  of: Payment["amounts"];
  tokens: ReadonlyMap<string, TokenInfo>;
  kinds: Props["kinds"];
  flagsOf: Props["flagsOf"];
}

/** The first amounts. NFTs without a name count together. */
function Amounts({ of, tokens, kinds, flagsOf }: AmountsProps) {
  const nameless = new Map<string, number>();
  const named = of.flatMap(({ assetId, amount }) => {
    const token = tokens.get(assetId);
    if (!token) return [];
    const unit = unnamedUnit(token, kinds.get(assetId));
    if (unit === undefined) return [{ token, amount }];
    nameless.set(unit, (nameless.get(unit) ?? 0) + 1);
    return [];
  });
  const shown = named.slice(0, MAX_ASSETS);
  const counted = [...nameless.values()].reduce((sum, count) => sum + count, 0);
  const more = of.length - shown.length - counted;
  const parts: ReactNode[] = [
    ...shown.map(({ token, amount }) => (
      <LinkedAmount key={token.id} amount={amount} token={token} flags={flagsOf(token)} />
    )),
    ...Array.from(nameless, ([unit, count]) => (
      <strong key={unit} className={STRONG}>
        {countOf(count, unit)}
      </strong>
    )),
    ...(more > 0 ? [countOf(more, "more asset")] : []),
  ];
  return <Joined parts={parts} />;
}

const STRONG = "font-semibold text-text";

function LinkedAmount(props: { amount: bigint; token: TokenInfo; flags: readonly Flag[] }) {
  const { amount, token, flags } = props;
  const { text, exact } = markedAmount(amount, token);
  return (
    <AssetItem as="span" asset={token} flags={flags}>
      <Link href={`/assets/${token.id}`} title={exact} className={`${STRONG} underline`}>
        {text} <bdi>{symbolAndId(token)}</bdi>
      </Link>
    </AssetItem>
  );
}

function Names({ of }: { of: readonly string[] }) {
  const shown = of
    .slice(0, MAX_ADDRESSES)
    .map((address) => (
      <AddressLink key={address} address={address} brief className="font-semibold text-text underline" />
    ));
  const more = of.length - shown.length;
  return <Joined parts={more > 0 ? [...shown, countOf(more, MORE_ADDRESSES)] : shown} />;
}

/** Joins parts as `a`, `a and b` or `a, b and c`. */
const Joined = (props: { parts: readonly ReactNode[]; between?: string; last?: string }) => {
  const { parts, between = ", ", last = " and " } = props;
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a transaction never changes, so its parts stay in place
    <Fragment key={at}>
      {at > 0 && (at === parts.length - 1 ? last : between)}
      {part}
    </Fragment>
  ));
};
