import { AssetLabel } from "#components/AssetLabel.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { FactList, FactRow } from "#components/ui/FactList.tsx";
import { Section } from "#components/ui/Section.tsx";
import { isVouchedFor, markedAmount } from "#lib/client/chain-text.ts";
import { cutId, formatCount, formatPrice } from "#lib/client/format.ts";
import { flaggerAmong } from "#lib/dashboard/flags.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import type { LookAlikes as Alike } from "#lib/queries/asset-relations.ts";
import { terms } from "#terms";

/** Assets that readers may mistake for one another, side by side. The first is the page's own. */
export function LookAlikes({ assets, hasMore }: Alike) {
  const flagsOf = flaggerAmong(assets, terms.native);
  const [own] = assets;
  return (
    <Section
      title="Look-alikes"
      aside={hasMore && <span className="text-text-2">the first {formatCount(assets.length - 1)}</span>}
    >
      <ul className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
        {assets.map((asset) => {
          const { token, holderCount, price } = asset;
          return (
            <li
              key={token.id}
              aria-current={asset === own ? "true" : undefined}
              className="min-w-0 rounded-lg bg-sunken p-4 aria-[current]:bg-accent-bg"
            >
              <AssetLabel asset={shownAsset(token)} flags={flagsOf(asset)} />
              <FactList short className="mt-2">
                <FactRow name="Registry">{isVouchedFor(token) ? "listed" : "not listed"}</FactRow>
                <FactRow name="Holders">{formatCount(holderCount)}</FactRow>
                <FactRow name="Supply" className="wrap-anywhere">
                  {markedAmount(token.totalSupply, token).text}
                </FactRow>
                <FactRow name="Price">{price === null ? "none" : formatPrice(BigInt(price)).text}</FactRow>
                <FactRow name="Id" className="flex items-center gap-1">
                  <Cut parts={cutId(token.id)} />{" "}
                  <CopyButton className="-my-1" text={token.id} label="token id" />
                </FactRow>
              </FactList>
              {asset === own && <p className="mt-2 text-text-2">This token</p>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
