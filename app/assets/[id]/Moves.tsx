import { Amount, SMALL_IF_VERY_LONG } from "#components/Amount.tsx";
import { assetColour } from "#components/asset-colour.ts";
import { levelsOf } from "#components/charts/Axis.tsx";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { highestDrawn } from "#components/charts/plot.ts";
import { ButtonLink, Link } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Section } from "#components/ui/Section.tsx";
import { countOf, formatCount, formatLevel, formatUsd } from "#lib/client/format.ts";
import { movingPath, transactionPath } from "#lib/client/paths.ts";
import type { AssetMove } from "#lib/queries/asset-relations.ts";
import { amountOf, type PageAsset, scaleAndUnit, scaleOf } from "./amounts.ts";

/** Least number of columns for a chart. */
const LEAST_COLUMNS = 6;

/** Copies the fields: the browser needs a plain object, which a database row is not. */
const endOf = ({ height, timestamp }: AssetMove) => ({ height, timestamp });

interface Props {
  asset: PageAsset;
  /** The newest first. */
  moves: AssetMove[];
  hasOlder: boolean;
  /** The height below which all moves are; undefined for the latest ones. */
  before: number | undefined;
  /** Otherwise the block's page lists them. */
  mayReadTransactions: boolean;
}

const Latest = () => (
  <ButtonLink scroll href={{ before: "" }}>
    Latest transfers
  </ButtonLink>
);

export function Moves({ asset, moves, hasOlder, before, mayReadTransactions }: Props) {
  const hrefOf = ({ hash }: AssetMove) => `/blocks/${hash}?asset=${asset.id}&flagged=show`;
  const textOf = ({ height, amount, amountUsd, transactions }: AssetMove) =>
    [
      `Block ${formatCount(height)}: ${amountOf(asset, amount)}`,
      amountUsd && formatUsd(BigInt(amountUsd)).text,
      countOf(transactions, "transaction"),
    ]
      .filter(Boolean)
      .join(", ");
  const [oldest, newest] = [moves.at(-1), moves[0]];
  if (!oldest || !newest) {
    const place = before === undefined ? "" : ` before block ${formatCount(before)}`;
    return (
      <Notice
        bare
        title={`No indexed block${place} moved this token`}
        actions={before !== undefined && <Latest />}
      />
    );
  }
  const middle = Math.round((oldest.timestamp + newest.timestamp) / 2);
  const isPriced = moves.some(({ amountUsd }) => amountUsd !== null);
  const isDrawn = moves.length >= LEAST_COLUMNS;
  const amounts = moves.map(({ amount }) => BigInt(amount));
  const levelOf = (amount: number) => formatLevel(amount, scaleOf(asset));
  return (
    <Section
      title={before === undefined ? "Latest transfers" : `Transfers before block ${formatCount(before)}`}
      aside={
        <span className="text-text-2">
          {before === undefined && "the last "}
          {before === undefined && moves.length === 1 ? "block" : countOf(moves.length, "block")} that moved
          it
        </span>
      }
    >
      {isDrawn && (
        <ColumnChart
          label="Amount moved, by block"
          columns={moves.toReversed().map((move) => ({
            key: move.hash,
            amount: BigInt(move.amount),
            colour: assetColour(asset.id),
            short: levelOf(Number(move.amount)),
            text: textOf(move),
            href: hrefOf(move),
          }))}
          levels={levelsOf(0, Number(highestDrawn(amounts)), levelOf)}
          ends={[endOf(oldest), { timestamp: middle }, endOf(newest)]}
          times={moves.map(({ timestamp }) => timestamp).toReversed()}
        />
      )}
      <table className="mt-4 w-full">
        <thead className="text-left text-text-3 text-xs">
          <tr className="*:py-2 *:pe-2 *:font-medium [&>.text-end]:ps-3 [&>.text-end]:pe-0">
            <th scope="col">Block</th>
            <th scope="col" className="max-sm:hidden">
              Age
            </th>
            <th scope="col" className="text-end">
              Amount moved
            </th>
            {isPriced && (
              <th scope="col" className="text-end">
                Value
              </th>
            )}
            <th scope="col" className="text-end max-sm:hidden">
              Transactions
            </th>
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => {
            const value = move.amountUsd === null ? null : formatUsd(BigInt(move.amountUsd), move.amount);
            return (
              <tr key={move.hash} className="border-b last:border-0 *:h-11">
                <td>
                  <Link href={hrefOf(move)}>{formatCount(move.height)}</Link>
                </td>
                <td className="whitespace-nowrap text-text-2 max-sm:hidden">
                  <Time time={move.timestamp} short />
                </td>
                <td className={`text-end font-medium ${SMALL_IF_VERY_LONG}`}>
                  <Amount amount={move.amount} {...scaleAndUnit(asset)} />
                </td>
                {isPriced && (
                  <td className="ps-3 text-end text-text-2" title={value?.exact}>
                    {value?.text ?? "—"}
                  </td>
                )}
                <td className="text-end max-sm:hidden">
                  <Link
                    href={
                      move.transaction && mayReadTransactions
                        ? transactionPath(move.transaction)
                        : movingPath(move.hash, asset.id)
                    }
                    aria-label={`${countOf(move.transactions, "transaction")} in block ${formatCount(move.height)}`}
                  >
                    {formatCount(move.transactions)}
                  </Link>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(before !== undefined || hasOlder) && (
        <div className="mt-4 flex gap-2">
          {before !== undefined && <Latest />}
          {hasOlder && (
            <ButtonLink scroll href={{ before: String(oldest.height) }}>
              Older transfers
            </ButtonLink>
          )}
        </div>
      )}
    </Section>
  );
}
