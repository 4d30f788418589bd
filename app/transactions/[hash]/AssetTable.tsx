import { AssetAmount, Dash } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { FigureTable } from "#components/FigureTable.tsx";
import { Link } from "#components/Link.tsx";
import { PageLinks } from "#components/PageLinks.tsx";
import { displaySymbol, type Flag, type ListedNames } from "#lib/client/chain-text.ts";
import { capitalised, countOf, formatCount } from "#lib/client/format.ts";
import type { TransactionAsset } from "#lib/queries/transaction/contract.ts";
import { terms } from "#terms";

/** Assets on a page. */
const PAGE = 100;
const FIGURES = ["in", "out", "minted", "burnt"] as const;

interface Props {
  assets: readonly TransactionAsset[];
  /** Number of further assets, which the API does not list. */
  more: number;
  /** Number of the page of the table, from 1. */
  page: number;
  /** Kinds of outputs by token, as far as they are known. */
  kinds: ReadonlyMap<string, string>;
  flagsOf: (asset: ListedNames) => readonly Flag[];
  /** The transaction's fee; `""` if it is unknown. */
  fee: string;
  /** Whether a link in each row draws its asset: the drawing itself offers a few. */
  hasDrawLinks: boolean;
}

/** The sums of each asset. For the native asset, the amount burnt is the fee, and the amount minted is a reward or interest. */
export function AssetTable({ assets, more, page, kinds, flagsOf, fee, hasDrawLinks }: Props) {
  const pages = Math.max(1, Math.ceil(assets.length / PAGE));
  const shown = Math.min(page, pages);
  const start = (shown - 1) * PAGE;
  const rows = assets.slice(start, start + PAGE);
  return (
    <>
      <div className="mt-2">
        <FigureTable
          caption="Assets"
          heads={["Asset", ...FIGURES.map(capitalised)]}
          rows={rows.map((asset) => ({
            key: asset.token,
            label: (
              <span className="flex flex-wrap items-center gap-x-4">
                <AssetLabel asset={asset.tokenInfo} flags={flagsOf(asset.tokenInfo)} />
                {hasDrawLinks && (
                  <Link
                    href={{ asset: asset.token }}
                    scroll
                    keepsFragment
                    // On phones, the drawing is folded.
                    className="text-text-2 underline max-sm:hidden print:hidden"
                  >
                    Draw<span className="sr-only"> {displaySymbol(asset.tokenInfo)}</span>
                  </Link>
                )}
              </span>
            ),
            figures: FIGURES.map((name) => figureOf(asset, name, kinds.get(asset.token), fee)),
          }))}
        />
      </div>
      {pages > 1 && (
        <PageLinks label="Pages of assets" page={shown} pages={pages}>
          {formatCount(start + 1)}–{formatCount(start + rows.length)} of{" "}
          {countOf(assets.length + more, "asset")}
        </PageLinks>
      )}
      {more > 0 && shown === pages && (
        <p className="py-2 text-text-2">
          and {countOf(more, "more asset")}: see the lists of inputs and outputs
        </p>
      )}
    </>
  );
}

/** Inputs and outputs have a figure for every asset, even if it is zero or unknown. */
function figureOf(
  asset: TransactionAsset,
  name: (typeof FIGURES)[number],
  kind: string | undefined,
  fee: string,
) {
  const isMove = name === "in" || name === "out";
  const amount = asset[name];
  if (amount === "") return isMove && <Dash />;
  if (!isMove && amount === "0") return false;
  return (
    <>
      <AssetAmount amount={amount} asset={asset.tokenInfo} kind={kind} />
      {name === "burnt" && asset.token === terms.native.id && amount === fee && (
        <span className="text-text-3"> fee</span>
      )}
    </>
  );
}
