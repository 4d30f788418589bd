import { Amount, Dash } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { ROLES } from "#components/table/roles.ts";
import { displayDecimals, type Flag, type ListedNames } from "#lib/client/chain-text.ts";
import { countOf } from "#lib/client/format.ts";
import type { TransactionAsset } from "#lib/queries/transaction/contract.ts";
import { terms } from "#terms";

const FIGURES = ["in", "out", "minted", "burnt"] as const;
const TITLES = { in: "In", out: "Out", minted: "Minted", burnt: "Burnt" };

interface Props {
  assets: readonly TransactionAsset[];
  /** Number of further assets. */
  more: number;
  /** Kinds of outputs by token, as far as they are known. */
  kinds: ReadonlyMap<string, string>;
  flagsOf: (asset: ListedNames) => readonly Flag[];
}

/** Each asset's sums. Of the native asset, what is burnt is the fee, and what is minted a reward or interest. */
export function AssetTable({ assets, more, kinds, flagsOf }: Props) {
  return (
    <>
      <table {...ROLES.table} aria-label="Assets" className="mt-2 w-full sm:table-fixed">
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
        <tbody {...ROLES.group} className="divide-y divide-border">
          {assets.map((asset) => (
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
                    <Amount
                      amount={asset[name]}
                      decimals={displayDecimals(asset.tokenInfo)}
                      unique={terms.outputKind(kinds.get(asset.token) ?? "")?.unique}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="py-2 text-text-2">and {countOf(more, "more asset")}</p>}
    </>
  );
}
