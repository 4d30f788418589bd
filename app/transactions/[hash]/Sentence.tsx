import { Fragment, type ReactNode } from "react";
import { AddressLink } from "#components/Address.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatAmount } from "#lib/client/format.ts";
import { MORE_ADDRESSES } from "#lib/client/wallet.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { Transaction, TransactionAsset } from "#lib/queries/transaction/contract.ts";
import type { Payment } from "./flows.ts";

interface Props {
  transaction: Transaction;
  /** Who paid whom; null if not all inputs and outputs were read, or not all are indexed. */
  payments: readonly Payment[] | null;
  native: Pick<TokenInfo, "id" | "symbol" | "name" | "decimals">;
}

/** Payments, their assets, and addresses that a sentence names one by one. */
const MOST_PAYMENTS = 3;
const MOST_ASSETS = 3;
const MOST_ADDRESSES = 2;

/** Who paid whom what; what was minted and burnt; and the fee. */
export function Sentence({ transaction, payments, native }: Props) {
  const { assets, moreAssets, fee, inputCount, outputCount, index } = transaction;
  const tokens = new Map(assets.map(({ token, tokenInfo }) => [token, tokenInfo]));
  const others = assets.filter(({ token }) => token !== native.id);
  const isReward = index === 0 && inputCount === 0;
  const paid = payments?.filter(({ from }) => from.length > 0) ?? [];
  const received = payments?.filter(({ from }) => from.length === 0) ?? [];
  const clauses: ReactNode[] = [
    ...paid.slice(0, MOST_PAYMENTS).map((payment) => (
      <>
        <Names of={payment.from} /> paid <Names of={payment.to} /> <Amounts of={payment} tokens={tokens} />
      </>
    )),
    ...received.slice(0, MOST_PAYMENTS).map((payment) => (
      <>
        <Names of={payment.to} /> received {isReward ? "the block’s reward, " : "new "}
        <Amounts of={payment} tokens={tokens} />
      </>
    )),
    ...madeOf(
      others.filter(
        ({ token }) => !received.some(({ amounts }) => amounts.some(({ assetId }) => assetId === token)),
      ),
      "minted",
    ),
    ...madeOf(others, "burnt"),
  ];
  const more = Math.max(0, paid.length - MOST_PAYMENTS) + Math.max(0, received.length - MOST_PAYMENTS);
  if (more > 0) clauses.push(countOf(more, "more payment"));
  if (moreAssets > 0) clauses.push(`${countOf(moreAssets, "further asset")} moved`);
  if (clauses.length === 0) {
    clauses.push(
      payments
        ? "Everything returned to the addresses that it came from"
        : `${countOf(inputCount, "input")} became ${countOf(outputCount, "output")}`,
    );
  }
  return (
    <p className="mt-2 max-w-[900px] text-lg text-text-2 wrap-anywhere">
      <Joined parts={clauses} between="; " last="; " />.
      {fee !== "" && !isReward && ` Fee ${formatAmount(fee, native.decimals).text} ${native.symbol}.`}
      {fee === "" && " Its fee is not known, because not all of its inputs are indexed."}
    </p>
  );
}

function madeOf(assets: readonly TransactionAsset[], what: "minted" | "burnt"): ReactNode[] {
  const made = assets.filter((asset) => asset[what] !== "" && asset[what] !== "0");
  const clauses = made.slice(0, MOST_ASSETS).map(({ tokenInfo, [what]: amount }) => (
    <>
      <AmountOf amount={amount} token={tokenInfo} /> {amount === "1" ? "was" : "were"} {what}
    </>
  ));
  const more = made.length - clauses.length;
  return more > 0
    ? [...clauses, `${countOf(more, "more asset")} ${more === 1 ? "was" : "were"} ${what}`]
    : clauses;
}

function AmountOf({ amount, token }: { amount: bigint | string; token: TokenInfo }) {
  const { text, exact } = formatAmount(amount, displayDecimals(token));
  return (
    <strong className="font-semibold text-text" title={exact}>
      {text} <bdi>{displaySymbol(token)}</bdi>
    </strong>
  );
}

function Amounts({ of: { amounts }, tokens }: { of: Payment; tokens: ReadonlyMap<string, TokenInfo> }) {
  const named = amounts.flatMap(({ assetId, amount }) => {
    const token = tokens.get(assetId);
    return token ? [{ token, amount }] : [];
  });
  const shown = named.slice(0, MOST_ASSETS);
  const more = amounts.length - shown.length;
  const parts = shown.map(({ token, amount }) => <AmountOf key={token.id} amount={amount} token={token} />);
  return <Joined parts={more > 0 ? [...parts, countOf(more, "more asset")] : parts} />;
}

function Names({ of }: { of: readonly string[] }) {
  const shown = of
    .slice(0, MOST_ADDRESSES)
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
