import { terms } from "#chain/terms.ts";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { BlockForm } from "#components/BlockForm.tsx";
import { type ComparedFigure, ComparisonTable, differenceFigure } from "#components/ComparisonTable.tsx";
import { Link } from "#components/Link.tsx";
import { TableReceipt } from "#components/Receipt.tsx";
import { Time } from "#components/Time.tsx";
import { displayDecimals, type Flag, type ListedNames } from "#lib/client/chain-text.ts";
import { capitalised, countOf, formatAmount, formatCount } from "#lib/client/format.ts";
import { comparedLines, tipLines } from "#lib/client/receipts.ts";
import type { AddressChanges, ChangedToken, NoChanges } from "./read-changes.ts";
import { TokenLink } from "./TokenLink.tsx";

interface Props {
  address: string;
  /** How the link names the block; `""` for none. */
  since: string;
  /** Null if no block is named. */
  changes: AddressChanges | NoChanges | null;
  flagsOf: (token: ListedNames) => readonly Flag[];
}

/** What came to the address and left it since a block that the reader names. */
export function ChangesPanel({ address, since, changes, flagsOf }: Props) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2">
        <BlockForm
          key={since}
          parameter="since"
          value={since}
          label="Block number or hash"
          action="Show changes since"
        />
      </div>
      {changes && (
        <div className="border-t">
          {"fault" in changes ? (
            <p role="status" className="px-3 py-2">
              {changes.fault}
            </p>
          ) : (
            <Flows changes={changes} address={address} flagsOf={flagsOf} />
          )}
        </div>
      )}
    </>
  );
}

const HEADS = ["Token", "In", "Out", "Net"];

function Flows({
  changes,
  address,
  flagsOf,
}: Pick<Props, "address" | "flagsOf"> & { changes: AddressChanges }) {
  const { tip, total, rows } = changes;
  const { height, block, replaced } = changes.since;
  const link = (
    <Link href={`/blocks/${height}`} className="underline">
      block {formatCount(height)}
    </Link>
  );
  return (
    <>
      <p className="px-3 py-2">
        {replaced && (
          <>
            Block {formatCount(replaced.height)} of this link was replaced by a reorganisation, so these are
            the changes since the chains part.{" "}
          </>
        )}
        {rows.length === 0 ? "Nothing came in or went out" : countOf(total, "token")} since {link}
        {block && (
          <>
            {" "}
            (<Time time={block.timestamp} />)
          </>
        )}
        {tip && `, up to block ${formatCount(tip.height)}`}.
        {rows.length < total && ` The ${formatCount(rows.length)} with most ${terms.output.many} are shown.`}
      </p>
      {rows.length > 0 && (
        <div className="max-h-[min(60vh,600px)] overflow-y-auto border-t">
          <ComparisonTable
            caption={`Changes since block ${formatCount(height)}`}
            heads={HEADS}
            rows={rows.map((row) => ({
              key: row.token.id,
              label: (
                <AssetLabel
                  asset={row.token}
                  flags={flagsOf(row.token)}
                  wrapSymbol={(symbol) => <TokenLink id={row.token.id}>{symbol}</TokenLink>}
                />
              ),
              figures: figuresOf(row),
            }))}
          />
          <p className="border-t px-3 py-2 text-text-2 text-xs">
            {capitalised(terms.output.many)} that came and left since then count in both columns.
          </p>
        </div>
      )}
      <TableReceipt
        lines={[
          ["In", "sum of amount / 10^decimals", `over ${terms.output.many} created after the block`],
          ["Out", "sum of amount / 10^decimals", `over ${terms.output.many} spent after it`],
          ["Net", "in − out", "of the raw integers"],
          ...(block ? comparedLines([block]) : []),
          ...tipLines(tip),
        ]}
        requests={[`/v0/addresses/${address}/changes?from=${height}`]}
        link={`/addresses/${address}?${new URLSearchParams({ since: block?.hash ?? String(height) })}`}
      />
    </>
  );
}

function figuresOf({ token, came, left }: ChangedToken): (ComparedFigure | null)[] {
  const format = (size: bigint) => formatAmount(size, displayDecimals(token));
  const [into, out] = [BigInt(came.amount), BigInt(left.amount)];
  return [
    came.outputCount === 0 ? null : differenceFigure(into, format, countOf(came.outputCount, terms.output)),
    left.outputCount === 0 ? null : differenceFigure(-out, format, countOf(left.outputCount, terms.output)),
    differenceFigure(into - out, format),
  ];
}
