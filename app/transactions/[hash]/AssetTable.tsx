import { AssetAmount, Dash } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { ROLES } from "#components/table/roles.ts";
import type { Flag, ListedNames } from "#lib/client/chain-text.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import { changeView, pageField } from "#lib/client/url-state.ts";
import type { TransactionAsset } from "#lib/queries/transaction/contract.ts";

/** Assets on a page. */
const PAGE = 100;
const FIGURES = ["in", "out", "minted", "burnt"] as const;
const TITLES = { in: "In", out: "Out", minted: "Minted", burnt: "Burnt" };

interface Props {
  assets: readonly TransactionAsset[];
  /** Number of further assets, which the API does not list. */
  more: number;
  /** Number of the page of the table, from 1. */
  page: number;
  /** Path of the page. */
  path: string;
  /** Kinds of outputs by token, as far as they are known. */
  kinds: ReadonlyMap<string, string>;
  flagsOf: (asset: ListedNames) => readonly Flag[];
}

/** Each asset's sums. Of the native asset, what is burnt is the fee, and what is minted a reward or interest. */
export function AssetTable({ assets, more, page, path, kinds, flagsOf }: Props) {
  const pages = Math.max(1, Math.ceil(assets.length / PAGE));
  const shown = Math.min(page, pages);
  const start = (shown - 1) * PAGE;
  const rows = assets.slice(start, start + PAGE);
  const pageLink = (title: string, to: number) => (
    <ButtonLink href={to < 1 || to > pages ? null : changeView({ page: pageField }, path, { page: to })}>
      {title}
    </ButtonLink>
  );
  return (
    <>
      <table {...ROLES.table} aria-label="Assets" className="mt-2 w-full max-sm:block sm:table-fixed">
        <thead {...ROLES.group} className="text-text-3 text-xs max-sm:sr-only">
          <tr {...ROLES.row} className="border-b *:py-2 *:font-medium">
            <th {...ROLES.header} scope="col" className="w-1/3 text-start">
              Asset
            </th>
            {FIGURES.map((name) => (
              <th key={name} {...ROLES.header} scope="col" className="text-end">
                {TITLES[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...ROLES.group} className="divide-y divide-border max-sm:block">
          {rows.map((asset) => (
            <tr key={asset.token} {...ROLES.row} className="max-sm:block max-sm:py-2">
              <td {...ROLES.cell} className="py-2 max-sm:block">
                <AssetLabel asset={asset.tokenInfo} flags={flagsOf(asset.tokenInfo)} />
              </td>
              {FIGURES.map((name) => (
                <td
                  key={name}
                  {...ROLES.cell}
                  className={`py-2 text-end wrap-anywhere max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-0.5 ${name === "in" || name === "out" || Number(asset[name]) > 0 ? "" : "max-sm:hidden!"}`}
                >
                  <span aria-hidden="true" className="text-text-3 sm:hidden">
                    {TITLES[name]}
                  </span>
                  {asset[name] === "" || (asset[name] === "0" && name !== "in" && name !== "out") ? (
                    <Dash />
                  ) : (
                    <AssetAmount amount={asset[name]} asset={asset.tokenInfo} kind={kinds.get(asset.token)} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <nav aria-label="Pages of assets" className="mt-4 flex flex-wrap items-center gap-2">
          {pageLink("Previous page", shown - 1)}
          {pageLink("Next page", shown + 1)}
          <span className="text-text-2">
            {formatCount(start + 1)} to {formatCount(start + rows.length)} of{" "}
            {countOf(assets.length + more, "asset")}
          </span>
        </nav>
      )}
      {more > 0 && shown === pages && (
        <p className="py-2 text-text-2">
          and {countOf(more, "more asset")}, which the lists of inputs and outputs have
        </p>
      )}
    </>
  );
}
