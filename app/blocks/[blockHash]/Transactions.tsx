import type { ReactNode } from "react";
import { AddressLink } from "#components/Address.tsx";
import { AssetAmount, Dash } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { coloursFor } from "#components/asset-colour.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { ButtonLink, Link } from "#components/Link.tsx";
import { PageLinks } from "#components/PageLinks.tsx";
import { ROLES } from "#components/table/roles.ts";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { createFlagger, displaySymbol, type Namesakes } from "#lib/client/chain-text.ts";
import { countOf, cutTransactionHash, formatCount } from "#lib/client/format.ts";
import { transactionPath } from "#lib/client/paths.ts";
import { pageField, pageParameter, readView, textField } from "#lib/client/url-state.ts";
import type { BlockOverview } from "#lib/queries/block-overview.ts";
import {
  type AssetAmounts,
  type BlockTransaction,
  blockTransactions,
} from "#lib/queries/block-transactions.ts";
import { orNotKept } from "#lib/queries/named-block.ts";
import { terms } from "#terms";
import { AssetChip } from "./AssetChip.tsx";
import { type AssetVolume, shareOfAsset } from "./list.ts";

const TRANSACTIONS_PER_PAGE = 25;
const ASSETS_LISTED = 20;

interface Props {
  block: BlockOverview;
  /** The assets with the most volume, in order. */
  largest: readonly AssetVolume[];
  native: { id: string; symbol: string } | null;
  namesakes: Namesakes;
  query: URLSearchParams;
  /** Whether the reader may see the addresses of the transactions. */
  mayRead: boolean;
}

const HEADS = terms.hasTokens
  ? ["In", "Out", "Minted", "Burnt"]
  : ["Inputs", "Outputs", "Amount", "Reward or fee"];
/** Wider columns on tablets, because broken amounts are easily misread. */
const LARGE = ["In", "Out", "Amount"];
const CELL =
  "px-1 py-1.5 text-end align-top wrap-anywhere lg:px-2 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:px-0 max-sm:py-0.5";

export async function Transactions({ block, largest, native, namesakes, query, mayRead }: Props) {
  const { store } = await getService();
  const { page, asset } = readView({ page: pageField, asset: textField }, query);
  const before = (page - 1) * TRANSACTIONS_PER_PAGE;
  const found = await orNotKept(
    store.query(blockTransactions, {
      blockHash: block.hash,
      ...(asset !== "" && { asset }),
      offset: before,
      limit: TRANSACTIONS_PER_PAGE,
      assets: ASSETS_LISTED,
    }),
  );
  if (found && "fault" in found) {
    return <Notice title="The transactions of this block are no longer available">{found.fault}</Notice>;
  }
  // The rest of the page was read before.
  if (!found) return <Notice title="This block was replaced by a reorganisation" />;
  const { rows, total } = found;
  const flagsOf = createFlagger({ native, ...namesakes });
  const colourOf = coloursFor(largest.map(({ id }) => id));
  const shareOf = shareOfAsset(largest, block.volumeUsd);
  const pages = Math.max(1, Math.ceil(total / TRANSACTIONS_PER_PAGE));
  const [first] = rows;
  const chip = asset !== "" && (
    <AssetChip id={asset} symbol={first && displaySymbol(first.moved[0]!.token)} />
  );
  if (!first) {
    return (
      <div className="py-6 outline-none" id="results" tabIndex={-1}>
        {chip}
        <Notice
          bare
          title={
            total === 0
              ? `No transactions${asset === "" ? "" : " of this block hold this asset"}`
              : `Page ${formatCount(page)} does not exist: this list has ${countOf(pages, "page")}`
          }
          actions={
            total > 0 && (
              <ButtonLink href={pageParameter(1)} scroll>
                First page
              </ButtonLink>
            )
          }
        />
      </div>
    );
  }
  return (
    <section aria-label="Transactions" id="results" tabIndex={-1} className="outline-none">
      {chip}
      <table {...ROLES.table} aria-label="Transactions" className="mt-4 w-full sm:table-fixed">
        <thead {...ROLES.group} className="text-text-3 text-xs max-sm:sr-only">
          <tr {...ROLES.row}>
            <th {...ROLES.header} scope="col" className="w-2/5 py-2 text-start font-medium max-lg:w-[33%]">
              Transaction{terms.hasTokens && " and assets"}
            </th>
            {HEADS.map((head) => (
              <th
                key={head}
                {...ROLES.header}
                scope="col"
                className={`px-1 py-2 text-end font-medium last:pe-0 lg:px-2 ${LARGE.includes(head) ? "max-lg:w-[19%]" : ""}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {rows.map((transaction) => (
          <tbody
            key={transaction.hash}
            {...ROLES.group}
            id={transaction.hash}
            className="border-b last:border-b-0 target:bg-accent-bg"
          >
            {terms.hasTokens ? (
              <>
                <tr {...ROLES.row}>
                  <td {...ROLES.cell} colSpan={5} className="pt-3 pb-1">
                    <Name of={transaction} {...{ mayRead }}>
                      <span className="text-text-2">
                        {countOf(transaction.inputs, "input")}, {countOf(transaction.outputs, "output")}
                      </span>
                    </Name>
                  </td>
                </tr>
                {transaction.moved.map((moved) => (
                  <Row
                    key={moved.token.id}
                    label={
                      <AssetLabel
                        asset={moved.token}
                        flags={flagsOf(moved.token)}
                        colour={colourOf(moved.token.id)}
                        share={shareOf(moved.token.id)}
                      />
                    }
                    className="*:first:ps-8"
                    figures={figuresOf(moved, {
                      isNative: moved.token.id === native?.id,
                      isWhole: transaction.isWhole,
                    })}
                  />
                ))}
              </>
            ) : (
              <Row
                label={<Name of={transaction} {...{ mayRead }} />}
                className="max-sm:*:nth-2:hidden max-sm:*:nth-3:hidden sm:*:py-3 sm:*:align-middle"
                figures={figuresAlone(transaction)}
              />
            )}
            {transaction.more > 0 && (
              <tr {...ROLES.row}>
                <td {...ROLES.cell} colSpan={5} className="pb-3 ps-8 text-text-2">
                  and {countOf(transaction.more, "more asset")}
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
      <PageLinks label="Pages" {...{ page, pages }}>
        {formatCount(before + 1)}–{formatCount(before + rows.length)} of {formatCount(total)}
      </PageLinks>
    </section>
  );
}

interface NameProps extends Pick<Props, "mayRead"> {
  of: BlockTransaction;
  children?: ReactNode;
}

function Name({ of: { index, hash, from, to }, mayRead, children }: NameProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span className="min-w-6 text-text-3">{formatCount(index + 1)}</span>
      <Link href={transactionPath(hash)} className="inline-block leading-6">
        <Cut parts={cutTransactionHash(hash)} />
      </Link>
      <CopyButton className="-my-1.5" text={terms.hashText(hash)} label="transaction hash" />
      {children}{" "}
      <span className="flex flex-wrap items-center gap-x-2 leading-6 text-text-2">
        {mayRead && from.length > 0 && (
          <span>
            from <Party of={from} />{" "}
          </span>
        )}
        {mayRead && to.length > 0 && (
          <span>
            to <Party of={to} />
          </span>
        )}
      </span>
    </span>
  );
}

/** The first of these addresses, and whether there are more. */
function Party({ of: [first = "", ...others] }: { of: readonly string[] }) {
  return (
    <>
      <AddressLink address={first} brief className="inline-block max-w-60 align-bottom leading-6 underline" />
      {others.length > 0 && " and others"}
    </>
  );
}

function amountOf(token: AssetAmounts["token"], value: bigint, note = ""): ReactNode {
  return (
    value > 0n && (
      <span>
        <AssetAmount amount={value} asset={token} kind={token.standard} />
        {note && <span className="text-text-2"> {note}</span>}
      </span>
    )
  );
}

/**
 * A surplus of outputs was minted, a deficit burnt. For the native asset, a deficit is the fee. These are unknown if not all
 * inputs are indexed.
 */
const figuresOf = (
  { token, in: spent, out }: AssetAmounts,
  { isNative, isWhole }: { isNative: boolean; isWhole: boolean },
): ReactNode[] => [
  isWhole && amountOf(token, spent),
  amountOf(token, out),
  isWhole && amountOf(token, out - spent, isNative ? "issued" : ""),
  isWhole && amountOf(token, spent - out, isNative ? "fee" : ""),
];

/** The figures of a transaction on a chain with one asset. */
function figuresAlone({ index, inputs, outputs, isWhole, moved: [moved] }: BlockTransaction): ReactNode[] {
  const counts = [formatCount(inputs), formatCount(outputs)];
  if (!moved) return [...counts, false, false];
  const { token, in: spent, out } = moved;
  // Others take amounts from outside the ledger.
  const change =
    out > spent
      ? index === 0 && amountOf(token, out - spent, "reward")
      : isWhole && amountOf(token, spent - out, "fee");
  return [...counts, amountOf(token, out), change];
}

/** One figure for each of `HEADS`; a missing one is a dash. */
function Row({ label, figures, className }: { label: ReactNode; figures: ReactNode[]; className: string }) {
  return (
    <tr {...ROLES.row} className={`max-sm:block max-sm:ps-2 max-sm:pb-2 ${className}`}>
      <td {...ROLES.cell} className="py-1 align-top max-sm:block max-sm:ps-0!">
        {label}
      </td>
      {figures.map((figure, at) => (
        <td key={HEADS[at]} {...ROLES.cell} className={`${CELL} last:pe-0 ${figure ? "" : "max-sm:hidden!"}`}>
          <span aria-hidden="true" className="text-text-3 sm:hidden">
            {HEADS[at]}
          </span>
          {figure || <Dash />}
        </td>
      ))}
    </tr>
  );
}
